import type { Ctx, WorkspaceCtx } from '../../../../core/context';
import { historyIdsSql } from '../../contacts/histories';
import { of } from '../../../../core/db/scoped';
import { dbNow } from '../../../../core/db/columnValues';

/** Marks the inbound messages of a conversation as read, in the surrounding transaction; its count is the caller's. */
export async function markMessagesRead(ctx: Ctx, conversationId: number): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE messages SET "read" = true, updated_at = now()
     WHERE workspace_id = $workspaceId AND conversation_id = ANY(${historyIdsSql})
       AND direction = 'inbound' AND NOT "read"`,
    { workspaceId: ctx.workspaceId, conversationId },
  );
}

/** Marks the messages of a file as changed, so that open pages show them again. */
export async function touchMessagesOfFile(ctx: WorkspaceCtx, fileId: number): Promise<void> {
  await of(ctx, ctx.runtime.db.models.Message).update({ updated_at: dbNow }, { where: { file_id: fileId } });
}
