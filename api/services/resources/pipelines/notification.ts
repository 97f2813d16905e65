import type { Ctx } from '../../../core/context';
import { AppError, invalid, invalidPk } from '../../../core/http/errors';
import { flowOfTemplate, flowProblem } from '../flows/carried';
import { unfillableParts } from '../templates/parameters';
import { findTemplate } from '../templates/service';
import type { TemplateVariables } from '../templates/variables';
import type { StagePatch } from './schema';

/** What a request changes of a stage's notification; undefined where it says nothing. */
export interface NotificationChange {
  readonly templatePk?: number | null;
  readonly variables?: TemplateVariables;
}

/**
 * Reads what a request says about the notification of a stage; `current` is the template id that the stage has. A
 * template that it has already is not judged again. Throws the 400 that names the field.
 */
export async function readNotification(
  ctx: Ctx,
  values: Pick<StagePatch, 'notify_template_id' | 'notify_template_variables'>,
  current: string | null = null,
): Promise<NotificationChange> {
  const id = values.notify_template_id === '' ? null : values.notify_template_id;
  const variables =
    values.notify_template_variables === undefined ? {} : { variables: values.notify_template_variables ?? {} };
  if (id === undefined) return variables;
  // Without a template there is nothing to fill: the mapping goes with it.
  if (id === null) return { templatePk: null, variables: current === null ? (variables.variables ?? {}) : {} };
  if (id === current) return variables;

  const template = await findTemplate(ctx, { templateId: id });
  if (!template || template.status === 'DELETED') throw invalidPk('notify_template_id', id);
  const problems =
    template.status === 'APPROVED'
      ? unfillableParts(template)
      : [`Only an APPROVED template can be sent; the status of "${template.name}" is ${template.status}.`];
  const flow = await flowProblem(ctx, template.business_account_id, flowOfTemplate(template.components));
  if (flow !== null) problems.push(flow);
  if (problems.length > 0) throw invalid({ notify_template_id: problems });
  return { templatePk: template.id, ...variables };
}

/** Reads the notifications of a new pipeline's stages; what is wrong with one is told with its place in the list. */
export async function readNotifications(ctx: Ctx, stages: readonly StagePatch[]): Promise<NotificationChange[]> {
  const read: NotificationChange[] = [];
  const faults: string[] = [];
  for (const [index, stage] of stages.entries()) {
    try {
      read.push(await readNotification(ctx, stage));
    } catch (error) {
      if (!(error instanceof AppError) || !error.details.fields) throw error;
      for (const [field, messages] of Object.entries(error.details.fields))
        faults.push(...messages.map((message) => `${index}.${field}: ${message}`));
    }
  }
  if (faults.length > 0) throw invalid({ stages: faults });
  return read;
}
