import type { Ctx } from '../../../core/context';
import { recordEvent } from '../../../core/events';
import { firstMessageSql } from '../contacts/rows';
import { slaBeginsSql, startConversationSla } from './sla';
import { isOneOfSql, reopeningStatuses } from './states';

/** How long an inbound message opens the window. */
const windowMs = 24 * 3_600_000;

/** A customer's message that was stored just now. */
export interface Received {
  readonly messageId: number;
  readonly conversationId: number;
  readonly contactId: number;
  readonly numberPk: number;
  /** When the customer wrote, by the upstream's clock. */
  readonly at: Date;
  readonly createdAt: Date;
}

/**
 * Records a customer's message on its conversation, in the surrounding transaction: the window, the unread count, the
 * last message, and the status where it opens the conversation again. The SLA clock of a new episode starts.
 */
export async function recordInbound(ctx: Ctx, given: Received): Promise<void> {
  const { conversationId } = given;
  const reopens = isOneOfSql('before.conv_status', reopeningStatuses);
  const newest = 'v.last_message_at IS NULL OR v.last_message_at <= $createdAt';

  // One statement for each message that comes in: the row is locked, compared and written once.
  const before = await ctx.runtime.db.row<{ conv_status: string; sla_begins: boolean }>(
    `WITH before AS MATERIALIZED (
       SELECT v.id, v.conv_status, ${slaBeginsSql} AS sla_begins
       FROM conversations v
       WHERE v.workspace_id = $workspaceId AND v.id = $conversationId
       FOR UPDATE
     ), opened AS (
       INSERT INTO conversation_windows AS w (conversation_id, phone_number_id, open_until)
       VALUES ($conversationId, $numberPk, $openUntil)
       ON CONFLICT (conversation_id, phone_number_id)
         DO UPDATE SET open_until = greatest(w.open_until, excluded.open_until)
     ), contact AS (${firstMessageSql})
     UPDATE conversations v SET
       unread_count = v.unread_count + 1,
       last_message_id = CASE WHEN ${newest} THEN $messageId ELSE v.last_message_id END,
       phone_number_id = CASE WHEN v.phone_number_id IS NULL OR ${newest} THEN $numberPk ELSE v.phone_number_id END,
       last_message_at = greatest(v.last_message_at, $createdAt),
       last_inbound_at = greatest(v.last_inbound_at, $at),
       active_till = greatest(v.active_till, $openUntil),
       conv_status = CASE WHEN ${reopens} THEN 'open' ELSE before.conv_status END,
       resolved_at = CASE WHEN ${reopens} THEN NULL ELSE v.resolved_at END,
       updated_at = now()
     FROM before
     WHERE v.id = before.id
     RETURNING before.conv_status, before.sla_begins`,
    { workspaceId: ctx.workspaceId, ...given, openUntil: new Date(given.at.getTime() + windowMs) },
  );
  if (!before) return;

  if (before.sla_begins) await startConversationSla(ctx, conversationId, given.at);
  if (!reopeningStatuses.includes(before.conv_status)) return;
  await recordEvent(ctx, {
    subjectType: 'conversation',
    subjectId: conversationId,
    kind: 'reopened',
    changes: { conv_status: { from: before.conv_status, to: 'open' } },
    data: { message_id: given.messageId },
  });
}
