import { Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { recordEvent, watchedSql } from '../../../core/queue/events';
import { noteHappened } from '../rules/starts';

/** The `thread_owner` where it is not known which other application has the thread. */
export const otherApp = 'other_app';

/** A message that was sent elsewhere and is stored now. */
interface SentElsewhere {
  readonly conversationId: number;
  readonly messageId: number;
  readonly numberPk: number;
  /** When it was sent, by the platform's clock, and by which time it stands in the conversation. */
  readonly at: Date;
  readonly createdAt: Date;
  /** A person wrote it, in the phone's app. */
  readonly byPerson: boolean;
}

/**
 * Shows a message that was sent elsewhere on its conversation, in the surrounding transaction. Where a person wrote it
 * and the customer has written nothing since, it is an answer: read, and nobody waits. Returns whether it is one, and
 * whether rules watch the workspace.
 */
export async function recordSentElsewhere(
  ctx: Ctx,
  sent: SentElsewhere,
): Promise<{ readonly answers: boolean; readonly watched: boolean }> {
  const answers = '($byPerson AND (v.last_inbound_at IS NULL OR v.last_inbound_at <= $at))';
  const newest = '(v.last_message_at IS NULL OR v.last_message_at <= $createdAt)';
  // Guarded by the row itself: echoes come in any order beside the customer's own messages.
  const row = await ctx.runtime.db.row<{ answers: boolean; watched: boolean }>(
    `UPDATE conversations v SET
       last_message_id = CASE WHEN ${newest} THEN $messageId ELSE v.last_message_id END,
       last_message_at = greatest(v.last_message_at, $createdAt),
       phone_number_id = CASE WHEN ${newest} THEN $numberPk ELSE v.phone_number_id END,
       last_exchange_at = greatest(v.last_exchange_at, $createdAt),
       unanswered_since = CASE WHEN ${answers} THEN NULL ELSE v.unanswered_since END,
       wrote_while_snoozed = v.wrote_while_snoozed AND NOT ${answers},
       unread_count = CASE WHEN ${answers} THEN 0 ELSE v.unread_count END,
       first_response_at = CASE WHEN ${answers} AND v.last_inbound_at IS NOT NULL
         THEN coalesce(v.first_response_at, $at) ELSE v.first_response_at END,
       updated_at = now()
     WHERE v.workspace_id = $workspaceId AND v.id = $conversationId
     RETURNING ${answers} AS answers, ${watchedSql()} AS watched`,
    { workspaceId: ctx.workspaceId, ...sent },
  );
  return row ?? { answers: false, watched: false };
}

/**
 * Notes who has the thread from a time on, with its activity; an older word than the last one changes nothing. Runs in
 * the surrounding transaction.
 */
export async function setThreadOwner(ctx: Ctx, conversationId: number, owner: string, at: Date): Promise<void> {
  const row = await ctx.runtime.db.row<{ before: string }>(
    `WITH before AS MATERIALIZED (
       SELECT id, thread_owner FROM conversations
       WHERE workspace_id = $workspaceId AND id = $conversationId FOR UPDATE
     )
     UPDATE conversations v SET thread_owner = $owner, thread_at = $at, updated_at = now()
     FROM before WHERE v.id = before.id AND (v.thread_at IS NULL OR v.thread_at <= $at)
     RETURNING before.thread_owner AS before`,
    { workspaceId: ctx.workspaceId, conversationId, owner, at },
  );
  if (!row || row.before === owner) return;
  await recordEvent(ctx, {
    subjectType: 'conversation',
    subjectId: conversationId,
    kind: 'thread_control_changed',
    changes: { thread_owner: { from: row.before, to: owner } },
  });
}

/** Shows a message of the past as the last one where there is no newer one, and changes nothing else. */
export async function showPast(ctx: Ctx, conversationId: number, messageId: number, at: Date): Promise<void> {
  await of(ctx, ctx.runtime.db.models.Conversation).update(
    { last_message_id: messageId, last_message_at: at, updated_at: dbNow },
    { where: { id: conversationId, last_message_at: { [Op.or]: [null, { [Op.lt]: at }] } } },
  );
}

/** A call that has ended. */
interface EndedCall {
  readonly conversationId: number;
  /** The platform's id of it. */
  readonly callId: string;
  readonly isMissed: boolean;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Records a call that has ended, once, in the surrounding transaction. It opens neither conversation nor window; who
 * called and was not answered waits.
 */
export async function recordCall(ctx: Ctx, call: EndedCall): Promise<void> {
  const { conversationId, callId, isMissed, at } = call;
  const kind = isMissed ? 'call_missed' : 'call_ended';
  // The row is locked first: of two reports of a call the second finds the activity of the first.
  await ctx.runtime.db.rows(
    `UPDATE conversations v SET
       unanswered_since = CASE WHEN $isMissed THEN coalesce(v.unanswered_since, $at) ELSE v.unanswered_since END,
       wrote_while_snoozed = v.wrote_while_snoozed OR ($isMissed AND v.conv_status = 'snoozed'),
       last_exchange_at = greatest(v.last_exchange_at, $at), updated_at = now()
     WHERE v.workspace_id = $workspaceId AND v.id = $conversationId AND NOT EXISTS (${callKnownSql})`,
    { workspaceId: ctx.workspaceId, conversationId, callId, isMissed, at },
  );
  const known = await ctx.runtime.db.row(callKnownSql, { workspaceId: ctx.workspaceId, conversationId, callId });
  if (known) return;
  const { first, watched } = await recordEvent(ctx, {
    subjectType: 'conversation',
    subjectId: conversationId,
    kind,
    data: { ...call.data, call_id: callId },
  });
  if (isMissed && watched) await noteHappened(ctx, [{ conversationId, event: 'call.missed', eventId: first, at }]);
}

const callKnownSql = `SELECT 1 FROM events e
  WHERE e.workspace_id = $workspaceId AND e.subject_type = 'conversation' AND e.subject_id = $conversationId
    AND e.kind IN ('call_missed', 'call_ended') AND e.data->>'call_id' = $callId`;
