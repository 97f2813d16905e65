import type { Ctx } from '../../../../core/context';
import { of } from '../../../../core/db/scoped';
import { dbNow } from '../../../../core/db/columnValues';

/** Ends queued messages that nothing will send any more, in the surrounding transaction. */
export async function failQueued(
  ctx: Pick<Ctx, 'runtime' | 'workspaceId'>,
  messageIds: readonly number[],
  reason: { readonly title: string; readonly message: string },
): Promise<void> {
  if (messageIds.length === 0) return;

  await of(ctx, ctx.runtime.db.models.Message).update(
    {
      delivery_state: 'settled',
      next_attempt_at: null,
      message_status: 'failed',
      failed_at: dbNow,
      error_code: null,
      error_title: reason.title,
      error_message: reason.message,
      updated_at: dbNow,
    },
    { where: { id: [...messageIds], delivery_state: 'queued' } },
  );
}

/**
 * Takes back queued messages of which nothing was sent, in the surrounding transaction: no message is left behind.
 * `ids` is SQL that selects them, as a broadcast may have a hundred thousand.
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
