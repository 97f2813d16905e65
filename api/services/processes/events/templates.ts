import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { requestSync } from '../../resources/accounts/stops';
import { setTemplateProperty, setTemplateStatus } from '../../resources/templates/status';
import { eventTime, objectAt, textOf, type Json } from './read';
import type { Handler } from './lookups';
import type { StoredEvent } from './claim';

/** Events of a template that do not change its status (upstream 2.9). */
const keepsStatus = new Set(['FLAGGED', 'LOCKED', 'LIMIT_EXCEEDED', '']);
const statusOf: Readonly<Record<string, string>> = { REINSTATED: 'APPROVED', UNARCHIVED: 'APPROVED' };

/** The events of templates (upstream 2.9). What only says that something changed asks for a sync. */
export const templateHandlers: readonly (readonly [string, Handler])[] = [
  ['message_template_status_update', receiveStatusUpdate],
  ['message_template_category_update', receiveCategory],
  ['template_category_update', receiveCategory],
  ['message_template_quality_update', receiveQuality],
  ['message_template_components_update', receiveComponents],
];

interface Named {
  readonly id: number;
  readonly value: Json;
  readonly at: Date;
}

/** Returns the template that an event names; one that is not known yet is read from the upstream. */
async function named(ctx: Ctx, event: StoredEvent): Promise<Named | null> {
  const value = objectAt(event.payload, 'value') ?? {};
  const row = await of(ctx, ctx.runtime.db.models.Template).findOne({
    attributes: ['id'],
    where: {
      business_account_id: event.business_account_id,
      template_id: textOf(value['message_template_id'], 64),
    },
    raw: true,
  });
  if (row) return { id: row.id, value, at: eventTime(event.payload['time'], ctx.runtime.clock.now()) };
  await requestSync(ctx, event.business_account_id);
  return null;
}

async function receiveStatusUpdate(ctx: Ctx, event: StoredEvent): Promise<void> {
  const template = await named(ctx, event);
  if (!template) return;
  const word = textOf(template.value['event'], 32).toUpperCase();
  if (keepsStatus.has(word)) return;
  const reason = textOf(template.value['reason'], 255);
  await setTemplateStatus(
    ctx,
    template.id,
    statusOf[word] ?? word,
    template.at,
    reason.toUpperCase() === 'NONE' ? '' : reason,
  );
}

async function receiveCategory(ctx: Ctx, event: StoredEvent): Promise<void> {
  const template = await named(ctx, event);
  // `correct_category` alone is advance notice: the category itself changes later.
  const category = textOf(template?.value['new_category'], 32).toUpperCase();
  if (template && category !== '') await setTemplateProperty(ctx, template.id, 'category', category, template.at);
}

/** Reads the templates again: the event does not carry the whole one. */
async function receiveComponents(ctx: Ctx, event: StoredEvent): Promise<void> {
  await requestSync(ctx, event.business_account_id);
}

async function receiveQuality(ctx: Ctx, event: StoredEvent): Promise<void> {
  const template = await named(ctx, event);
  const score = textOf(template?.value['new_quality_score'], 32).toUpperCase();
  if (template && score !== '') await setTemplateProperty(ctx, template.id, 'quality_score', score, template.at);
}
