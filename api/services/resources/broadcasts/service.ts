import { literal } from 'sequelize';
import { cut } from '../../../core/text/cut';
import type { BroadcastRow } from '../../../../models';
import { broadcastIntent, unscheduledIntent } from '../../../../workflows/starts';
import { requireMaySend } from '../../../core/autonomy';
import { sameValue } from '../../../core/db/changes';
import { dueNow } from '../../../core/clock';
import type { Ctx, Maker } from '../../../core/context';
import { conflict, invalidField } from '../../../core/http/errors';
import { recordEvent } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { checkAudience, checkContent, readVariables } from './content';
import { takenBy } from '../templates/requiredParts';
import { templatesByIds } from '../templates/service';
import { findBroadcast, readBroadcast, type BroadcastRecord } from './queries';
import type { BroadcastPatch, NewBroadcast } from './schema';
import type { BroadcastView } from './serializer';
import { wakeNext } from './sendingTurns';
import { reason } from '../reasons';

const broadcasts = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.Broadcast);
/** The next version of a broadcast: what its workflow heard of the one before is outdated. */
const nextVersion = literal('version + 1');

/** Creates a draft; nothing is sent (contract 3.1). Throws 400. */
export async function createBroadcast(ctx: Ctx, values: NewBroadcast): Promise<BroadcastRecord> {
  const variables = values.template_variables ?? {};
  const content = await checkContent(ctx, {
    number: values,
    templateId: values.template_id,
    variables,
    mediaId: values.header_media?.id ?? null,
  });
  await checkAudience(ctx, values.audience);

  const { id } = await ctx.runtime.db.models.Broadcast.create({
    ...content,
    workspace_id: ctx.workspaceId,
    name: values.name,
    audience: values.audience,
    template_variables: { ...variables },
    created_by_member_id: ctx.actor.memberId,
    api_key_id: ctx.actor.apiKeyId,
  });
  return readBroadcast(ctx, id);
}

/**
 * Creates a draft that says the same to those whom an ended broadcast certainly did not reach (contract 9.2). Throws
 * 409.
 */
export async function resendBroadcast(ctx: Ctx, id: number): Promise<BroadcastRecord> {
  const known = await findBroadcast(ctx, id);
  if (known.status !== 'completed' && known.status !== 'failed')
    throw conflict(reason('onlyEnded', { status: known.status }));
  const draft = await ctx.runtime.db.models.Broadcast.create({
    workspace_id: ctx.workspaceId,
    name: `${cut(known.name, 240)} (again)`,
    template_pk: known.template_pk,
    phone_number_id: known.phone_number_id,
    audience: { resend_of: id },
    template_variables: known.template_variables,
    header_media_id: known.header_media_id,
    created_by_member_id: ctx.actor.memberId,
    api_key_id: ctx.actor.apiKeyId,
  });
  return readBroadcast(ctx, draft.id);
}

/** Changes a draft. Throws 400, and 409 where it is none. */
export async function updateBroadcast(ctx: Ctx, id: number, values: BroadcastPatch): Promise<BroadcastRecord> {
  // The answer is read before the lock ends: who won is told so, even when the draft is deleted right after.
  return ctx.runtime.db.transaction(async () => {
    const known = await lockDraft(ctx, id, 'onlyDraftChanged');
    const columns = await changedColumns(ctx, known, values);
    if (Object.keys(columns).length > 0)
      await broadcasts(ctx).update({ ...columns, updated_at: dbNow }, { where: { id } });
    return readBroadcast(ctx, id);
  });
}

/** Locks a draft until the transaction ends, and judges what the request asks of it. Throws 404, 409 and 412. */
async function lockDraft(
  ctx: Ctx,
  id: number,
  refusal: 'onlyDraftChanged' | 'onlyDraftDiscarded',
): Promise<BroadcastView> {
  await broadcasts(ctx).findOne({ attributes: ['id'], where: { id }, lock: true, raw: true });
  const known = await findBroadcast(ctx, id);
  if (known.status !== 'draft') throw conflict(reason(refusal, { status: known.status }));
  await ctx.precondition?.();
  return known;
}

/**
 * Checks what a request changes of a draft. What the draft holds already is not judged again: it may be gone by now.
 */
async function changedColumns(ctx: Ctx, known: BroadcastView, values: BroadcastPatch): Promise<Partial<BroadcastRow>> {
  const columns: Partial<BroadcastRow> = {};
  if (values.name !== undefined) columns.name = values.name;
  if (values.audience !== undefined && !sameValue(asStored(values.audience), known.audience)) {
    await checkAudience(ctx, values.audience);
    columns.audience = values.audience;
  }
  return { ...columns, ...(await changedContent(ctx, known, values)) };
}

async function changedContent(ctx: Ctx, known: BroadcastView, values: BroadcastPatch): Promise<Partial<BroadcastRow>> {
  const present = readVariables(known.template_variables);
  const variables = values.template_variables === undefined ? present : (values.template_variables ?? {});
  const templateId = values.template_id ?? known.template_id;
  if (values.template_id === null && known.template_id !== null) throw invalidField('template_id', reason('null'));

  const isOtherNumber =
    (values.phone_number_id ?? known.number) !== known.number ||
    (values.msgapp_business_account_id ?? known.account) !== known.account;
  // The file of another template is not this one's.
  const kept = templateId === known.template_id ? known.header_media_id : null;
  const mediaId = values.header_media === undefined ? kept : (values.header_media?.id ?? null);
  const isSameText = templateId === known.template_id && sameValue(variables, present);
  if (!isOtherNumber && isSameText && mediaId === known.header_media_id) return {};

  const number = isOtherNumber
    ? { msgapp_business_account_id: values.msgapp_business_account_id, phone_number_id: values.phone_number_id }
    : { phone_number_id: known.number };
  const content = await checkContent(ctx, { number, templateId: templateId ?? '', variables, mediaId });
  return { ...content, template_variables: { ...variables } };
}

/** Returns a value as the database keeps it. */
function asStored(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/**
 * Sends a draft now, or schedules it (contract 9.1). The guarded update decides: of several confirms, and against
 * a delete, exactly one wins and the others are a 409. A time that is not in the future is a 400 and changes nothing.
 */
export async function confirmBroadcast(ctx: Ctx, id: number, scheduledAt?: Date): Promise<BroadcastRecord> {
  const known = await findBroadcast(ctx, id);
  // The database's: a broadcast that begins in its future would be found by no sweep until then.
  const now = await dueNow(ctx.runtime);
  if (scheduledAt && scheduledAt <= now) throw invalidField('scheduled_at', reason('past'));
  if (known.status !== 'draft') throw conflict(reason('onlyDraftConfirmed', { status: known.status }));

  return ctx.runtime.db.transaction(async () => {
    const version = await turn(ctx, id, 'draft', {
      ...(scheduledAt ? { status: 'scheduled', scheduled_at: scheduledAt } : { status: 'running', started_at: now }),
      confirmed_at: now,
    });
    if (version === null) throw conflict(reason('onlyDraft'));
    // Of the template that it has now: it may have been given another one until then.
    const { template_pk: templatePk } = await findBroadcast(ctx, id);
    const template = (await templatesByIds(ctx, [templatePk ?? 0])).get(templatePk ?? 0);
    await broadcasts(ctx).update({ template_takes: template ? takenBy(template) : null }, { where: { id } });

    requireMaySend(ctx);
    await ctx.runtime.outbox.add(ctx, broadcastIntent(ctx.workspaceId, id, scheduledAt ?? null, version));
    await recordEvent(ctx, {
      subjectType: 'broadcast',
      subjectId: id,
      kind: scheduledAt ? 'broadcast_scheduled' : 'broadcast_started',
      data: scheduledAt ? { scheduled_at: scheduledAt.toISOString() } : {},
    });
    return readBroadcast(ctx, id);
  });
}

/** Takes a scheduled broadcast back to draft; anything else, one that has just fired included, is a 409. */
export async function unscheduleBroadcast(ctx: Ctx, id: number): Promise<BroadcastRecord> {
  return ctx.runtime.db.transaction(async () => {
    if (!(await takeBack(ctx, id)))
      throw conflict(reason('onlyScheduled', { status: (await findBroadcast(ctx, id)).status }));
    return readBroadcast(ctx, id);
  });
}

/** Takes a scheduled broadcast back to draft in the surrounding transaction; false where it is not scheduled. */
export async function takeBack(ctx: Ctx, id: number): Promise<boolean> {
  const version = await turn(ctx, id, 'scheduled', {
    status: 'draft',
    scheduled_at: null,
    confirmed_at: null,
    template_takes: null,
  });
  if (version === null) return false;
  await ctx.runtime.outbox.add(ctx, unscheduledIntent(ctx.workspaceId, id, version));
  await wakeNext(ctx, id);
  await recordEvent(ctx, { subjectType: 'broadcast', subjectId: id, kind: 'broadcast_unscheduled' });
  return true;
}

/** Returns the scheduled broadcasts that a member (with any credential) or keys created. */
export async function scheduledMadeBy(
  ctx: Ctx,
  maker: Maker,
): Promise<Pick<BroadcastRow, 'id' | 'name' | 'scheduled_at'>[]> {
  const by = 'memberId' in maker ? { created_by_member_id: maker.memberId } : { api_key_id: [...maker.keyIds] };
  return broadcasts(ctx).findAll({
    attributes: ['id', 'name', 'scheduled_at'],
    where: { ...by, status: 'scheduled' },
    order: ['id'],
    raw: true,
  });
}

/** Turns a broadcast of one status into another, and returns its new version; null where it has not that status. */
async function turn(
  ctx: Ctx,
  id: number,
  from: BroadcastRow['status'],
  columns: Partial<BroadcastRow>,
): Promise<number | null> {
  const [, rows] = await broadcasts(ctx).update(
    { ...columns, version: nextVersion, updated_at: dbNow },
    { where: { id, status: from }, returning: true },
  );
  return rows[0]?.version ?? null;
}

/** Discards a draft (contract 9.1); anything else is a 409. */
export async function deleteBroadcast(ctx: Ctx, id: number): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    await lockDraft(ctx, id, 'onlyDraftDiscarded');
    await broadcasts(ctx).destroy({ where: { id } });
  });
}
