import type { ContactRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { invalid, invalidField } from '../../../core/http/errors';
import { Fault } from '../../../core/http/fields';
import type { FrozenTemplate } from '../../../core/frozenSends';
import { contactValue } from '../contacts/contactValues';
import { isAuthentication } from '../templates/requiredParts';
import { checkComponents, componentsFromVariables, variableProblems } from '../templates/parameters';
import { findTemplate, type TemplateRecord } from '../templates/service';
import { parseVariables, type TicketVariable, type VariableSource } from '../templates/variables';
import type { TemplateReference } from './content';
import { reason } from '../reasons';

/** A template message, checked against the approved template and with its parameters filled. */
export interface PreparedTemplate {
  readonly template: TemplateRecord;
  readonly authentication: boolean;
  /** Upstream-shaped `{type: 'template', template: {…}}`. */
  readonly body: Record<string, unknown>;
}

type Recipient = Pick<ContactRow, 'name' | 'phone' | 'bsuid' | 'email' | 'company'>;

/**
 * Finds the template, refuses one that is not APPROVED or not of this workspace, and fills its parameters (contract 6).
 */
export async function prepareTemplate(
  ctx: Ctx,
  reference: TemplateReference,
  businessAccountId: number,
  recipient: Recipient,
): Promise<PreparedTemplate> {
  const named =
    reference.templateId === undefined
      ? { name: reference.name ?? '', language: reference.language ?? '' }
      : { templateId: reference.templateId };
  const template = await findTemplate(ctx, named, businessAccountId);
  if (!template || template.status === 'DELETED') throw invalidField('template', reason('templateNotHere'));
  if (template.status !== 'APPROVED')
    throw invalidField(
      'template',
      reason('onlyApproved', { name: template.name, status: template.status }),
      'template_not_approved',
    );
  const components =
    reference.templateId === undefined
      ? (reference.components ?? [])
      : fromVariables(template, reference.variables, recipient);
  checkComponents(template, components);
  const body = {
    type: 'template',
    template: {
      name: template.name,
      language: { code: template.language },
      ...(components.length > 0 ? { components } : {}),
    },
  };
  return { template, authentication: isAuthentication(template), body };
}

function fromVariables(
  template: TemplateRecord,
  raw: Record<string, unknown> | undefined,
  recipient: Recipient,
): readonly unknown[] {
  const variables = parseVariables(raw ?? {}, ['static', 'field']);
  if (variables instanceof Fault) throw invalid({ template_variables: [...variables.reasons] });
  const problems = variableProblems(template, variables);
  if (problems.length > 0) throw invalid({ template_variables: problems });
  return componentsFromVariables(template, variables, (source) => resolveForRecipient(source, recipient));
}

/** Returns what of a template decides how a message reads. */
export function frozenTemplate(row: Omit<FrozenTemplate, 'pk'> & { readonly id: number }): FrozenTemplate {
  return {
    pk: row.id,
    template_id: row.template_id,
    name: row.name,
    language: row.language,
    category: row.category,
    parameter_format: row.parameter_format,
    components: row.components,
  };
}

/**
 * Returns the value of a source, or its default where that is empty; a ticket source has no value without those of a
 * ticket.
 */
export function resolveForRecipient(
  source: VariableSource,
  recipient: Recipient,
  ticket: Readonly<Partial<Record<TicketVariable, string>>> | null = null,
): string {
  if (source.source === 'static') return source.value;
  const value = source.source === 'ticket' ? (ticket?.[source.field] ?? '') : contactValue(source.field, recipient);
  return value.trim() === '' ? (source.default ?? '') : value;
}
