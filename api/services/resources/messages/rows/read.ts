import type { Ctx, WorkspaceCtx } from '../../../../core/context';
import { historyIdsSql } from '../../contacts/histories';
import { of } from '../../../../core/db/scoped';
import { dbNow } from '../../../../core/db/columnValues';

/**
 * Marks the inbound messages of a conversation as read, in the surrounding transaction; its count is the caller's.
 * Returns whether one was not read before.
 */
export async function markMessagesRead(ctx: Ctx, conversationId: number): Promise<boolean> {
  const row = await ctx.runtime.db.row<{ is_new: boolean }>(
    `WITH marked AS (
       UPDATE messages SET "read" = true, updated_at = now()
       WHERE workspace_id = $workspaceId AND conversation_id = ANY(${historyIdsSql})
         AND direction = 'inbound' AND NOT "read"
       RETURNING id)
     SELECT EXISTS (SELECT 1 FROM marked) AS is_new`,
    { workspaceId: ctx.workspaceId, conversationId },
  );
  return row?.is_new ?? false;
}

/** Marks the messages of a file as changed, so that open pages show them again. */
export async function touchMessagesOfFile(ctx: WorkspaceCtx, fileId: number): Promise<void> {
  await of(ctx, ctx.runtime.db.models.Message).update({ updated_at: dbNow }, { where: { file_id: fileId } });
}
