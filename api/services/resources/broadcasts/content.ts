import type { BroadcastRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { invalid, invalidField, invalidPk } from '../../../core/http/errors';
import { Fault } from '../../../core/http/fields';
import { checkHeader } from '../files/references';
import { flowOfTemplate, flowProblem } from '../flows/flowsInMessages';
import { narrowNumbers, requireNumber, type NumberChoice } from '../messages/numbers';
import { type TemplateContent } from '../templates/requiredParts';
import { variableProblems } from '../templates/parameters';
import { findTemplate } from '../templates/service';
import { parseVariables, type TemplateVariables } from '../templates/variables';
import { audienceSql, checkInbox, checkReceivers, checkResend } from './audience';
import { parseAudience, type Audience } from './schema';
import { reason } from '../reasons';
import { within } from '../../../core/http/fields';

/** What a broadcast says, and from where. */
interface Content {
  readonly number: NumberChoice;
  readonly templateId: string;
  readonly variables: TemplateVariables;
  /** Our id of the file for the header of the template. */
  readonly mediaId: string | null;
}

/** Checks that template, number and mapping fit together (contract 9). Throws the 400 that names the field. */
export async function checkContent(
  ctx: Ctx,
  { number: choice, templateId, variables, mediaId }: Content,
): Promise<Pick<BroadcastRow, 'phone_number_id' | 'template_pk' | 'header_media_id'>> {
  const anywhere = await findTemplate(ctx, { templateId });
  if (!anywhere || anywhere.status === 'DELETED') throw invalidPk('template_id', templateId);

  // Without a named number, the only number of the template's account sends; with several the caller must choose, so
  // that none is picked by chance.
  const named = choice.phone_number_id ?? choice.msgapp_business_account_id;
  const number = requireNumber(
    await narrowNumbers(ctx, named ? choice : { msgapp_business_account_id: anywhere.account_id }, null),
  );
  const template = await findTemplate(ctx, { templateId }, number.business_account_id);
  if (!template || template.status === 'DELETED') throw invalidField('template_id', reason('templateElsewhere'));
  if (template.status !== 'APPROVED')
    throw invalidField(
      'template_id',
      reason('onlyApproved', { name: template.name, status: template.status }),
      'template_not_approved',
    );

  await checkFilling(ctx, template, { variables, mediaId });
  const flow = await flowProblem(ctx, number.business_account_id, flowOfTemplate(template.components));
  if (flow !== null) throw invalidField('template_id', flow);
  return { phone_number_id: number.id, template_pk: template.id, header_media_id: mediaId };
}

/** Checks that a template can be sent with a mapping and a file (contract 9). Throws the 400 that names the field. */
export async function checkFilling(
  ctx: Ctx,
  template: TemplateContent,
  { variables, mediaId }: Pick<Content, 'variables' | 'mediaId'>,
): Promise<void> {
  const problems = variableProblems(template, variables, 'texts and a file');
  if (problems.length > 0) throw invalid({ template_variables: problems });
  await checkHeader(ctx, 'header_media', template, mediaId);
}

/** Checks that everything that an audience names exists. Throws the 400 of the audience. */
export async function checkAudience(ctx: Ctx, audience: Audience): Promise<void> {
  if (audience.receiver_ids?.length === 0) throw invalidField('audience', within('receiver_ids', reason('emptyList')));
  await checkReceivers(ctx, audience);
  await checkInbox(ctx, audience);
  await checkResend(ctx, audience);
  await audienceSql(ctx, audience);
}

/** Reads a stored mapping by the rules of its input. */
export function readVariables(stored: unknown): TemplateVariables {
  const variables = parseVariables(stored, ['static', 'field']);
  return variables instanceof Fault ? {} : variables;
}

/** Reads a stored audience by the rules of its input; throws when no rule takes it any more. */
export function readAudience(stored: unknown): Audience {
  const audience = parseAudience(stored);
  if (audience instanceof Fault) throw invalid({ audience: [...audience.reasons] });
  return audience;
}
