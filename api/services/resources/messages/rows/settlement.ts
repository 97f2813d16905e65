import { dueNowSql } from '../../../../core/clock';
import type { Runtime } from '../../../../core/runtime';
import { maxSweptRows, never, sweepAll, type IsOver } from '../../../../core/queue/sweep';
import { deliveryExpired } from './rules';

/** How long after a message's 24 hours its own sender has time to settle it. */
const expiryGrace = "interval '5 minutes'";

/** SQL: what a message becomes that was not sent and will not be. */
const toFailed = `delivery_state = 'settled', next_attempt_at = NULL, message_status = 'failed',
  failed_at = now(), updated_at = now(), error_code = NULL, error_title = $title, error_message = $message`;

/** SQL: what an attempt becomes whose sender died during the call. */
const toUnknown = `delivery_state = 'settled', claim_expires_at = NULL, next_attempt_at = NULL, updated_at = now(),
  unknown_intake_ms = (SELECT up_ms FROM intake_clock),
  message_status = CASE WHEN message_status = 'queued' THEN 'unknown' ELSE message_status END`;

/**
 * Repeats a statement and counts the rows that it settled. The statement selects its rows as an array: otherwise a
 * planner without statistics would search them again for each row.
 */
async function inBatches(
  runtime: Runtime,
  status: 'failed' | 'unknown',
  isOver: IsOver,
  change: () => Promise<readonly unknown[]>,
): Promise<number> {
  return sweepAll(isOver, async () => {
    const { length } = await change();
    runtime.counts.messagesSettled(status, length);
    return length;
  });
}

/**
 * Settles one expired claim as unknown. Returns false when its sender has recorded an outcome, or it was claimed again.
 */
export async function settleExpiredClaim(runtime: Runtime, workspaceId: number, messageId: number): Promise<boolean> {
  const row = await runtime.db.row(
    `UPDATE messages SET ${toUnknown}
     WHERE workspace_id = $workspaceId AND id = $messageId AND delivery_state = 'sending'
       AND claim_expires_at < clock_timestamp()
     RETURNING id`,
    { workspaceId, messageId },
  );
  runtime.counts.messagesSettled('unknown', row ? 1 : 0);
  if (row)
    runtime.logger.warn(
      { event: 'message.sender_lost', workspaceId, messageId },
      'the sender of a message stopped during the call',
    );
  return row !== null;
}

/** Settles claims whose sender died as unknown, wherever their actor is; returns how many. */
export async function settleStaleClaims(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  return inBatches(runtime, 'unknown', isOver, () =>
    runtime.db.rows(
      `UPDATE messages SET ${toUnknown}
       WHERE delivery_state = 'sending' AND id = ANY(ARRAY(
         SELECT id FROM messages
         WHERE delivery_state = 'sending' AND claim_expires_at < clock_timestamp() - $graceMs * interval '1 millisecond'
         ORDER BY claim_expires_at LIMIT ${maxSweptRows} FOR UPDATE SKIP LOCKED))
       RETURNING id`,
      { graceMs: runtime.process.timing.claimGraceMs },
    ),
  );
}

/** SQL: no event of a kind waits for longer than a moment. Each kind has an index of its own. */
const nothingWaitsSql = (kind: string): string => `NOT EXISTS (SELECT 1 FROM inbox_events i
             WHERE i.workspace_id = m.workspace_id AND i.state = 'new' AND ${kind}
               AND i.received_at < now() - interval '5 seconds')`;

/**
 * Ends unknown outcomes that no webhook has settled as failed, after 15 minutes in which webhooks could be received and
 * were processed. Returns how many.
 */
export async function settleUnknown(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  return inBatches(runtime, 'failed', isOver, () =>
    runtime.db.rows(
      `UPDATE messages SET message_status = 'failed', failed_at = now(), updated_at = now(), error_code = NULL,
         error_title = 'Delivery unknown',
         error_message = $message
       WHERE id = ANY(ARRAY(
         SELECT m.id FROM messages m
         WHERE m.message_status = 'unknown' AND m.unknown_intake_ms IS NOT NULL AND m.failed_at IS NULL
           AND m.unknown_intake_ms <= (SELECT up_ms FROM intake_clock) - $waitMs::bigint
           AND ${nothingWaitsSql("i.kind = 'status'")} AND ${nothingWaitsSql("i.kind <> 'status'")}
         LIMIT ${maxSweptRows} FOR UPDATE OF m SKIP LOCKED))
       RETURNING id`,
      {
        waitMs: runtime.process.timing.unknownForMs,
        message: 'Delivery unknown: the platform never said whether it sent this message. It was not sent again.',
      },
    ),
  );
}

/**
 * Makes every message that waited before a time `unknown`: the database went back, so it cannot say which of them were
 * sent since. None is sent again. Returns how many.
 */
export async function settleWaitingAsUnknown(runtime: Runtime, acceptedBefore: Date): Promise<number> {
  return inBatches(runtime, 'unknown', never, () =>
    runtime.db.rows(
      `UPDATE messages SET ${toUnknown}
       WHERE id IN (
         SELECT id FROM messages
         WHERE delivery_state IN ('queued', 'sending') AND created_at < $acceptedBefore
         ORDER BY id LIMIT ${maxSweptRows} FOR UPDATE)
       RETURNING id`,
      { acceptedBefore },
    ),
  );
}

/**
 * Ends queued messages whose deadline has passed, whether or not a workflow still exists for them. Returns how many.
 */
export async function expireQueued(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  return inBatches(runtime, 'failed', isOver, () =>
    runtime.db.rows(
      `UPDATE messages SET ${toFailed}
       WHERE delivery_state = 'queued' AND id = ANY(ARRAY(
         SELECT id FROM messages
         WHERE delivery_state = 'queued' AND deliver_by < ${dueNowSql(runtime.clock)} - ${expiryGrace}
         ORDER BY deliver_by LIMIT ${maxSweptRows} FOR UPDATE SKIP LOCKED))
       RETURNING id`,
      { title: deliveryExpired.title, message: deliveryExpired.message },
    ),
  );
}

/** Advances the intake clock; called every few seconds by each process that can receive webhooks. */
export async function tickIntakeClock(runtime: Runtime): Promise<void> {
  await runtime.db.rows(
    `UPDATE intake_clock
     SET up_ms = up_ms + least(10000, greatest(0, extract(epoch FROM clock_timestamp() - seen_at) * 1000))::bigint,
       seen_at = clock_timestamp()`,
  );
}
