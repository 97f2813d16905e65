import type { Runtime } from '../../../../core/runtime';
import { inTurnsSql } from '../../../../core/db/workspaceTurnsSql';
import { stoppedSql } from '../../accounts/stops';

/*
 * The queued row is the intent to send: a message that the process which accepted it does not send at once is found
 * here. `look_at` says from when on: two seconds after it was accepted, or after the time until which it must wait.
 */

/** How long after a message is due the process that accepted it, or its workflow, has time to send it. */
const graceSeconds = 2;

/** SQL: when to look for a message that has to wait until a time (an expression). */
export const lookAfterSql = (time: string): string => `${time} + interval '${graceSeconds} seconds'`;

/** A conversation whose first message waits for a sender. */
export interface WaitingConversation {
  readonly workspaceId: number;
  readonly conversationId: number;
}

/** The result of a look. */
interface Found {
  readonly conversations: readonly (WaitingConversation & { readonly messageId: number })[];
  /** Whether there may be more. What was found is not found again soon. */
  readonly isMore: boolean;
}

/**
 * Takes conversations whose first message is due and has no sender, the phone numbers in turn, because throughput is by
 * number. A stopped number costs one step, however many messages wait for it. A message behind another one, or one with
 * a valid claim, is not taken: recording the outcome of an attempt leads to the next message.
 */
export async function takeWaiting(runtime: Runtime, limit: number): Promise<Found> {
  const rows = await runtime.db.rows<{ id: number; workspace_id: number; conversation_id: number; ready: boolean }>(
    `WITH due AS MATERIALIZED (${inTurnsSql({
      table: 'messages',
      where: "delivery_state = 'queued' AND send_seq IS NOT NULL",
      of: 'phone_number_id',
      served: (number) => `NOT ${stoppedSql(number)}`,
      due: 'look_at <= clock_timestamp()',
      order: 'look_at',
      columns: 'id, conversation_id',
      limit: '$limit',
      lock: true,
    })}), headed AS MATERIALIZED (
       SELECT d.id, h.id AS head, h.delivery_state = 'sending' AS claimed, h.claim_expires_at
       FROM due d CROSS JOIN LATERAL (
         SELECT m.id, m.delivery_state, m.claim_expires_at FROM messages m
         WHERE m.conversation_id = d.conversation_id AND m.send_seq IS NOT NULL
           AND m.delivery_state IN ('queued', 'sending')
         ORDER BY m.send_seq LIMIT 1) h
     )
     UPDATE messages m SET look_at = CASE
         WHEN d.claimed AND d.claim_expires_at > clock_timestamp() THEN d.claim_expires_at + interval '1 second'
         -- Temporal may lose its state.
         ELSE clock_timestamp() + $handedOverMs * interval '1 millisecond' END
     FROM headed d
     WHERE m.id = ANY(ARRAY(SELECT id FROM headed)) AND m.id = d.id
     RETURNING m.id, m.workspace_id, m.conversation_id,
       d.head = m.id OR (d.claimed AND d.claim_expires_at <= clock_timestamp()) AS ready`,
    { limit, handedOverMs: runtime.process.timing.handedOverMs },
  );
  return {
    conversations: rows
      .filter(({ ready }) => ready)
      .map((row) => ({ messageId: row.id, workspaceId: row.workspace_id, conversationId: row.conversation_id })),
    isMore: rows.length > 0,
  };
}

/** Sets when the look finds these messages again, from now on, if they still wait. SQL: the time is the database's. */
export async function lookAgain(runtime: Runtime, messageIds: readonly number[], afterMs = 0): Promise<void> {
  if (messageIds.length === 0) return;
  await runtime.db.rows(
    `UPDATE messages SET look_at = clock_timestamp() + $afterMs * interval '1 millisecond'
     WHERE id = ANY($messageIds::bigint[]) AND delivery_state = 'queued'`,
    { messageIds, afterMs },
  );
}
