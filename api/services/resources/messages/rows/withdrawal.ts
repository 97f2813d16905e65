import type { Ctx } from '../../../../core/context';

/** What a message becomes that was not sent and will not be. */
export const toFailed = `delivery_state = 'settled', next_attempt_at = NULL, message_status = 'failed', failed_at = now(),
  updated_at = now(), error_code = NULL, error_title = $title, error_message = $message`;

/** Ends queued messages that nothing will send any more, in the surrounding transaction. */
export async function failQueued(
  ctx: Pick<Ctx, 'runtime' | 'workspaceId'>,
  messageIds: readonly number[],
  reason: { readonly title: string; readonly message: string },
): Promise<void> {
  if (messageIds.length === 0) return;
  await ctx.runtime.db.rows(
    `UPDATE messages
     SET ${toFailed}
     WHERE workspace_id = $workspaceId AND id = ANY($messageIds::bigint[]) AND delivery_state = 'queued'`,
    { workspaceId: ctx.workspaceId, messageIds, ...reason },
  );
}

/**
 * Takes back queued messages of which nothing was sent, in the surrounding transaction: no message is left behind. `ids`
 * is SQL that selects them, as a broadcast may have a hundred thousand.
 */
export async function withdrawQueued(
  ctx: Pick<Ctx, 'runtime' | 'workspaceId'>,
  ids: string,
  bind: Readonly<Record<string, unknown>>,
): Promise<void> {
  await ctx.runtime.db.rows(
    `DELETE FROM messages WHERE workspace_id = $workspaceId AND delivery_state = 'queued' AND id IN (${ids})`,
    { ...bind, workspaceId: ctx.workspaceId },
  );
}
