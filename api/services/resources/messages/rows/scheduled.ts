import { Transaction } from 'sequelize';
import type { ScheduledMessageRow } from '../../../../../models';
import type { HeldReason } from '../../../../../models/enums';
import { sendLaterIntent } from '../../../../../workflows/starts';
import type { Ctx } from '../../../../core/context';
import { of } from '../../../../core/db/scoped';
import { dbNow } from '../../../../core/db/columnValues';
import { conflict } from '../../../../core/http/errors';
import { recordEvents } from '../../../../core/queue/events';
import { countAlone } from '../../../identity/workspaces/service';
import { noticeHeld } from '../../notices/rows';
import { reason } from '../../reasons';

/*
 * Messages that are to be sent later. Whoever writes here holds the lock of the conversation first, as for any send: of
 * the moment, a change and the customer's message, the one that commits first decides.
 */

/** How many may wait (contract 24). */
const scheduledLimits = { conversation: 50, workspace: 20_000 } as const;
export const tooMany = {
  conversation: reason('conversationFull', { max: scheduledLimits.conversation }),
  workspace: reason('workspaceFull', { max: scheduledLimits.workspace }),
} as const;

const scheduled = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.ScheduledMessage);

/** What of a message is kept until its moment. */
type NewScheduled = Pick<
  ScheduledMessageRow,
  | 'conversation_id'
  | 'phone_number_id'
  | 'send_at'
  | 'if_customer_writes'
  | 'type'
  | 'body'
  | 'file_id'
  | 'reply_to_wamid'
  | 'template_pk'
  | 'sent_by_member_id'
  | 'api_key_id'
  | 'oauth_grant_id'
  | 'approved_by_member_id'
  | 'origin'
  | 'dedupe_key'
  | 'rule_id'
>;

/** Makes the timer of a message wait for its moment, or end where it waits for none any more. */
async function setTimer(
  ctx: Ctx,
  row: Pick<ScheduledMessageRow, 'id' | 'conversation_id' | 'version'>,
  at: Date | null,
): Promise<void> {
  const intent = sendLaterIntent(ctx.workspaceId, row.id, row.conversation_id, at, row.version);
  await ctx.runtime.outbox.add(ctx, intent);
}

/** Keeps a message of a locked conversation until its moment; returns its id. Throws 409 where there are too many. */
export async function insertScheduled(ctx: Ctx, message: NewScheduled): Promise<number> {
  const { conversation_id: conversationId } = message;
  // Two at once do not both find the last place free.
  await countAlone(ctx, 'scheduled');
  if ((await scheduled(ctx).count({ where: { conversation_id: conversationId } })) >= scheduledLimits.conversation)
    throw conflict(tooMany.conversation);
  if ((await scheduled(ctx).count()) >= scheduledLimits.workspace) throw conflict(tooMany.workspace);
  const row = await ctx.runtime.db.models.ScheduledMessage.create({ ...message, workspace_id: ctx.workspaceId });
  await setTimer(ctx, row, row.send_at);
  await note(ctx, 'message_scheduled', [row], { send_at: row.send_at });
  return row.id;
}

/** Returns the conversation of a message that waits, and the moment as it is; null where none waits under this id. */
export async function findScheduled(ctx: Ctx, id: number): Promise<ScheduledMessageRow | null> {
  return scheduled(ctx).findOne({ where: { id }, raw: true });
}

/** Locks a message that waits, of a locked conversation; null where it was sent or discarded meanwhile. */
export async function lockScheduled(ctx: Ctx, id: number): Promise<ScheduledMessageRow | null> {
  return scheduled(ctx).findOne({ where: { id }, lock: Transaction.LOCK.UPDATE, raw: true });
}

/** Writes a change of a locked message; it waits for its moment from now on, or stays held. */
export async function changeScheduled(
  ctx: Ctx,
  row: ScheduledMessageRow,
  changes: Partial<NewScheduled> & Partial<Pick<ScheduledMessageRow, 'state'>>,
): Promise<void> {
  const next = { ...row, ...changes, version: row.version + 1 };
  await scheduled(ctx).update(
    {
      ...changes,
      held_reason: next.state === 'held' ? row.held_reason : null,
      version: next.version,
      updated_at: dbNow,
    },
    { where: { id: row.id } },
  );
  await setTimer(ctx, next, next.state === 'held' ? null : next.send_at);
  await note(ctx, 'scheduled_message_changed', [row], { send_at: next.send_at });
}

/** Takes a locked message out: it becomes one of `messages` in the same transaction. */
export async function takeScheduled(ctx: Ctx, row: ScheduledMessageRow): Promise<void> {
  await scheduled(ctx).destroy({ where: { id: row.id } });
}

/** Ends the timer of a message that was taken out. A timer that did so itself ends by the answer that it gets. */
export async function endTimer(ctx: Ctx, row: ScheduledMessageRow): Promise<void> {
  await setTimer(ctx, { ...row, version: row.version + 1 }, null);
}

/** Discards a locked message. */
export async function discardScheduled(ctx: Ctx, row: ScheduledMessageRow): Promise<void> {
  await takeScheduled(ctx, row);
  await endTimer(ctx, row);
  await note(ctx, 'scheduled_message_discarded', [row], {});
}

/**
 * Holds a locked message until a member decides, and tells who wrote it and who has the conversation. Its timer, which
 * has asked for it or will, ends by the answer.
 */
export async function holdScheduled(
  ctx: Ctx,
  row: ScheduledMessageRow,
  reason: HeldReason,
  words?: string,
): Promise<void> {
  const version = row.version + 1;
  await scheduled(ctx).update(
    { state: 'held', held_reason: reason, version, updated_at: dbNow },
    { where: { id: row.id } },
  );
  await tellHeld(ctx, [{ ...row, version }], reason, words);
}

type Asked = Pick<ScheduledMessageRow, 'id' | 'conversation_id' | 'sent_by_member_id' | 'version'>;

/**
 * Holds or discards, as they ask, the messages that wait in conversations whose customers have written just now, in the
 * surrounding transaction that has the conversations locked. SQL: one statement for all, an empty look at an index
 * where nothing waits.
 */
export async function answerToCustomers(ctx: Ctx, conversationIds: readonly number[]): Promise<void> {
  if (conversationIds.length === 0) return;
  const rows = await ctx.runtime.db.rows<Asked & { readonly discarded: boolean }>(
    `WITH asked AS (
       SELECT id, if_customer_writes = 'cancel' AS discarded FROM scheduled_messages
       WHERE workspace_id = $workspaceId AND conversation_id = ANY($conversationIds::bigint[])
         AND state = 'scheduled' AND if_customer_writes <> 'send'
       ORDER BY id FOR UPDATE
     ), held AS (
       UPDATE scheduled_messages s
       SET state = 'held', held_reason = 'customer_wrote', version = s.version + 1, updated_at = now()
       FROM asked a WHERE s.id = a.id AND NOT a.discarded
       RETURNING s.id, s.conversation_id, s.sent_by_member_id, s.version, false AS discarded
     ), gone AS (
       DELETE FROM scheduled_messages s USING asked a WHERE s.id = a.id AND a.discarded
       RETURNING s.id, s.conversation_id, s.sent_by_member_id, s.version + 1 AS version, true AS discarded
     )
     SELECT * FROM held UNION ALL SELECT * FROM gone`,
    { workspaceId: ctx.workspaceId, conversationIds },
  );
  if (rows.length === 0) return;
  const held = rows.filter(({ discarded }) => !discarded);
  const gone = rows.filter(({ discarded }) => discarded);
  if (held.length > 0) await tellHeld(ctx, held, 'customer_wrote');
  await endTimers(ctx, rows);
  await note(ctx, 'scheduled_message_discarded', gone, { reason: 'customer_wrote' });
}

/**
 * Holds everything that waits for a moment after this one: what of it was sent, changed or discarded in what the
 * database has lost, nobody knows. Returns how many. Crosses workspaces on purpose.
 */
export async function holdAfterLossAnywhere(ctxOf: (workspaceId: number) => Ctx, since: Date): Promise<number> {
  const { db } = ctxOf(0).runtime;
  const rows = await db.rows<Asked & { readonly workspace_id: number }>(
    `UPDATE scheduled_messages SET state = 'held', held_reason = 'restored', version = version + 1, updated_at = now()
     WHERE state = 'scheduled' AND send_at > $since
     RETURNING id, workspace_id, conversation_id, sent_by_member_id, version`,
    { since },
  );
  for (const owner of new Set(rows.map((row) => row.workspace_id))) {
    const own = rows.filter((row) => row.workspace_id === owner);
    await tellHeld(ctxOf(owner), own, 'restored');
    await endTimers(ctxOf(owner), own);
  }
  return rows.length;
}

async function tellHeld(ctx: Ctx, rows: readonly Asked[], reason: HeldReason, words?: string): Promise<void> {
  await note(ctx, 'scheduled_message_held', rows, { reason, ...(words === undefined ? {} : { words }) });
  await noticeHeld(
    ctx,
    rows.map(({ id, conversation_id: conversationId, sent_by_member_id: memberId }) => ({
      id,
      conversationId,
      memberId,
    })),
  );
}

async function endTimers(ctx: Ctx, rows: readonly Asked[]): Promise<void> {
  await ctx.runtime.outbox.addMany(
    ctx.workspaceId,
    rows.map((row) => sendLaterIntent(ctx.workspaceId, row.id, row.conversation_id, null, row.version)),
  );
}

async function note(
  ctx: Ctx,
  kind: 'message_scheduled' | 'scheduled_message_changed' | 'scheduled_message_discarded' | 'scheduled_message_held',
  rows: readonly Pick<ScheduledMessageRow, 'id' | 'conversation_id'>[],
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordEvents(
    ctx,
    rows.map((row) => ({
      subjectType: 'conversation' as const,
      subjectId: row.conversation_id,
      kind,
      data: { message_id: row.id, ...data },
    })),
  );
}
