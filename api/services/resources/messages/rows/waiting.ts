import type { Runtime } from '../../../../core/runtime';
import { inTurnsSql } from '../../../../core/db/turnsSql';
import { stoppedSql } from '../../accounts/stops';

/*
 * The queued row is the intent to send: what the process that accepted a message does not send at once is found here.
 * `look_at` says from when: two seconds after it was accepted, or after the time for which it has to wait.
 */

/** What has its time is given so long to be sent by who cares for it: the process that accepted it, or its workflow. */
const graceSeconds = 2;

/** SQL: when to look for a message that has to wait until a time (an expression). */
export const lookAfterSql = (time: string): string => `${time} + interval '${graceSeconds} seconds'`;

/** A conversation whose first message waits for a sender. */
export interface WaitingConversation {
  readonly workspaceId: number;
  readonly conversationId: number;
}

/** What a look has found. */
interface Found {
  readonly conversations: readonly (WaitingConversation & { readonly messageId: number })[];
  /** There may be more: what was found is not found again soon. */
  readonly isMore: boolean;
}

/**
 * Takes conversations whose first message has had its time and has no sender, each phone number in its turn: throughput
 * is by number. One that is stopped costs a step, however many messages wait for it. A message behind another one, or
 * one whose claim holds, is not taken: who records the end of an attempt looks for the next message.
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

/** Looks for messages again at a time from now on, where they still wait. SQL: the time is the database's. */
export async function lookAgain(runtime: Runtime, messageIds: readonly number[], afterMs = 0): Promise<void> {
  if (messageIds.length === 0) return;
  await runtime.db.rows(
    `UPDATE messages SET look_at = clock_timestamp() + $afterMs * interval '1 millisecond'
     WHERE id = ANY($messageIds::bigint[]) AND delivery_state = 'queued'`,
    { messageIds, afterMs },
  );
}
