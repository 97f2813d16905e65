import type { Ctx } from '../../../core/context';
import { AppError, invalid, invalidField, invalidPk } from '../../../core/http/errors';
import { checkHeader } from '../files/references';
import { flowOfTemplate, flowProblem } from '../flows/flowsInMessages';
import { unfillableParts } from '../templates/parameters';
import { findTemplate, type TemplateRecord } from '../templates/service';
import type { TemplateVariables } from '../templates/variables';
import type { StagePatch } from './schema';
import { after, type Message } from '../../../core/http/reasons';
import { reason } from '../reasons';

/** What a request changes of a stage's notification; undefined where it says nothing. */
export interface NotificationChange {
  readonly templatePk?: number | null;
  readonly variables?: TemplateVariables;
  readonly mediaId?: string | null;
}

/** What a stage notifies before the request. */
interface Notification {
  readonly templateId: string | null;
  readonly mediaId: string | null;
}

/**
 * Reads what a request says about the notification of a stage; `current` is what the stage has. A template and a file
 * that it has already are not judged again. Throws the 400 that names the field.
 */
export async function readNotification(
  ctx: Ctx,
  values: Pick<StagePatch, 'notify_template_id' | 'notify_template_variables' | 'notify_template_media_id'>,
  current: Notification = { templateId: null, mediaId: null },
): Promise<NotificationChange> {
  const given = values.notify_template_id === '' ? null : values.notify_template_id;
  const id = given === undefined ? current.templateId : given;
  const variables =
    values.notify_template_variables === undefined ? {} : { variables: values.notify_template_variables ?? {} };
  // Without a template there is nothing to fill: the mapping and the file go with it.
  if (id === null) {
    if (values.notify_template_media_id) throw invalidField('notify_template_media_id', reason('fileNeedsTemplate'));
    const left = current.templateId === null ? variables : { variables: {} };
    return given === undefined ? variables : { templatePk: null, mediaId: null, ...left };
  }
  // With another template the present file is dropped.
  const kept = id === current.templateId ? current.mediaId : null;
  const mediaId = values.notify_template_media_id === undefined ? kept : values.notify_template_media_id;
  if (id === current.templateId && mediaId === current.mediaId) return variables;

  const template = await findTemplate(ctx, { templateId: id });
  if (!template || template.status === 'DELETED') throw invalidPk('notify_template_id', id);
  if (id !== current.templateId) await refuseTemplate(ctx, template);
  await checkHeader(ctx, 'notify_template_media_id', template, mediaId);
  return { templatePk: template.id, mediaId, ...variables };
}

async function refuseTemplate(ctx: Ctx, template: TemplateRecord): Promise<void> {
  const problems =
    template.status === 'APPROVED'
      ? unfillableParts(template, 'texts and a file')
      : [reason('onlyApprovedOne', { name: template.name, status: template.status })];
  const flow = await flowProblem(ctx, template.business_account_id, flowOfTemplate(template.components));
  if (flow !== null) problems.push(flow);
  if (problems.length > 0) throw invalid({ notify_template_id: problems });
}

/** Reads the notifications of a new pipeline's stages; what is wrong with one is told with its place in the list. */
export async function readNotifications(ctx: Ctx, stages: readonly StagePatch[]): Promise<NotificationChange[]> {
  const read: NotificationChange[] = [];
  const faults: Message[] = [];
  for (const [index, stage] of stages.entries()) {
    try {
      read.push(await readNotification(ctx, stage));
    } catch (error) {
      if (!(error instanceof AppError) || !error.fields) throw error;
      for (const [field, messages] of Object.entries(error.fields))
        faults.push(...messages.map((message) => after(`${index}.${field}: `, message)));
    }
  }
  if (faults.length > 0) throw invalid({ stages: faults });
  return read;
}
