import { retryWrite } from '../../core/retry';
import type { Runtime } from '../../core/runtime';
import { lockWamid } from './statuses';
import { statusRankSql } from './statusSql';

/** The attempt whose outcome is recorded: a later attempt of the same row is never touched by an earlier one. */
interface Attempt {
  readonly id: number;
  readonly workspace_id: number;
  readonly attempts: number;
}

/** The upstream took the message. A status webhook may have been faster: the status only moves up. */
export async function recordAccepted(runtime: Runtime, attempt: Attempt, wamid: string): Promise<void> {
  await retryWrite(() =>
    runtime.db.transaction(async () => {
      await lockWamid({ runtime, workspaceId: attempt.workspace_id }, wamid);
      await runtime.db.rows(
        `UPDATE messages SET delivery_state = 'settled', claim_expires_at = NULL, next_attempt_at = NULL, unknown_intake_ms = NULL, wamid = $wamid, sent_at = coalesce(sent_at, now()), updated_at = now(),
           message_status = CASE WHEN ${statusRankSql('message_status')} < 3 THEN 'sent' ELSE message_status END
         WHERE workspace_id = $workspaceId AND id = $id AND attempts = $attempts AND (delivery_state = 'sending' OR message_status = 'unknown')`,
        { workspaceId: attempt.workspace_id, id: attempt.id, attempts: attempt.attempts, wamid },
      );
      // Statuses that named only the wamid could not find this row until now: they go through the inbox again.
      await runtime.db.rows(
        `WITH parked AS (DELETE FROM parked_statuses WHERE workspace_id = $workspaceId AND wamid = $wamid RETURNING payload)
         INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload)
         SELECT $workspaceId, (payload->>'business_account_id')::int, 'status', $wamid, payload->'event' FROM parked`,
        { workspaceId: attempt.workspace_id, wamid },
      );
    }),
  );
}

/** The message will not be sent. */
export async function recordFailure(
  runtime: Runtime,
  attempt: Attempt,
  fault: { readonly code: number; readonly title: string; readonly message: string },
): Promise<void> {
  await retryWrite(() =>
    runtime.db.rows(
      `UPDATE messages SET delivery_state = 'settled', claim_expires_at = NULL, next_attempt_at = NULL, message_status = 'failed', failed_at = now(), updated_at = now(),
         error_code = $code, error_title = left($title, 255), error_message = $message
       WHERE workspace_id = $workspaceId AND id = $id AND attempts = $attempts AND delivery_state = 'sending'`,
      {
        workspaceId: attempt.workspace_id,
        id: attempt.id,
        attempts: attempt.attempts,
        code: fault.code < 0 ? null : fault.code,
        title: fault.title,
        message: fault.message,
      },
    ),
  );
}

/** Nothing was sent; the row waits for its next try. */
export async function recordRetry(runtime: Runtime, attempt: Attempt, waitMs: number): Promise<void> {
  await retryWrite(() =>
    runtime.db.rows(
      `UPDATE messages SET delivery_state = 'queued', claim_expires_at = NULL, next_attempt_at = clock_timestamp() + $waitMs * interval '1 millisecond', updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $id AND attempts = $attempts AND delivery_state = 'sending'`,
      { workspaceId: attempt.workspace_id, id: attempt.id, attempts: attempt.attempts, waitMs },
    ),
  );
}

/** Nobody can tell whether it was sent: never sent again, settled by webhook or after 15 minutes of intake (contract C6). */
export async function recordUnknown(runtime: Runtime, workspaceId: number, id: number, reason: string): Promise<void> {
  runtime.logger.warn({ workspaceId, messageId: id, reason }, 'outcome of a send is not known');
  await retryWrite(() =>
    runtime.db.rows(
      `UPDATE messages SET delivery_state = 'settled', claim_expires_at = NULL, next_attempt_at = NULL, updated_at = now(),
         unknown_intake_ms = (SELECT up_ms FROM intake_clock), message_status = CASE WHEN message_status = 'queued' THEN 'unknown' ELSE message_status END
       WHERE workspace_id = $workspaceId AND id = $id AND delivery_state = 'sending'`,
      { workspaceId, id },
    ),
  );
}
