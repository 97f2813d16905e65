import type { Runtime } from '../../../core/runtime';

/** What a message becomes that was not sent and will not be. */
export const toFailed = `delivery_state = 'settled', next_attempt_at = NULL, message_status = 'failed', failed_at = now(),
  updated_at = now(), error_code = NULL, error_title = $title, error_message = $message`;

/** Ends queued messages that nothing will send any more, in the surrounding transaction. */
export async function failQueued(
  runtime: Runtime,
  workspaceId: number,
  messageIds: readonly number[],
  reason: { readonly title: string; readonly message: string },
): Promise<void> {
  if (messageIds.length === 0) return;
  await runtime.db.rows(
    `UPDATE messages SET ${toFailed}
     WHERE workspace_id = $workspaceId AND id = ANY($messageIds::bigint[]) AND delivery_state = 'queued'`,
    { workspaceId, messageIds, ...reason },
  );
}
