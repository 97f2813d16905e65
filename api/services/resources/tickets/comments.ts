import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db';
import { notFound } from '../../../core/errors';
import { recordEvent } from '../../../core/events';
import type { Page } from '../../../core/operations';
import { listPage, type PagingInput } from '../../../core/paging';
import { userJsonSql } from '../../identity/members/userColumns';
import { noteFirstResponse } from './contactActivity';
import { requireTicket } from './queries';
import type { CommentView } from './serializer';

const columns = `k.body, k.is_internal, k.created_at, ${userJsonSql('m')} AS author`;
const joins = 'LEFT JOIN members m ON m.id = k.author_id';

/** Comments of a ticket, oldest first. Throws 404. */
export async function listComments(ctx: Ctx, ticketId: number, paging: PagingInput): Promise<Page<CommentView>> {
  await requireTicket(ctx, ticketId);
  return listPage<Omit<CommentView, 'id'>>(
    ctx.runtime.db,
    {
      select: columns,
      from: 'ticket_comments k',
      joins,
      where: ['k.workspace_id = $workspaceId', 'k.ticket_id = $ticketId'],
      bind: { workspaceId: ctx.workspaceId, ticketId },
      idSql: 'k.id',
      columns: { created_at: { sql: 'k.created_at', type: 'timestamptz' } },
      defaultOrdering: 'created_at',
    },
    paging,
  );
}

/**
 * Notes something on a ticket; joins a surrounding transaction. It never reaches the customer. One that is not internal
 * stands for an answer given elsewhere, and counts as the first response (contract 8.1). Throws 404.
 */
export async function addComment(
  ctx: Ctx,
  ticketId: number,
  values: { readonly body: string; readonly is_internal?: boolean | undefined },
): Promise<CommentView> {
  const { db } = ctx.runtime;
  const isInternal = values.is_internal ?? true;
  return db.transaction(async () => {
    const touched = await db.row(
      'UPDATE tickets SET updated_at = now() WHERE workspace_id = $workspaceId AND id = $ticketId RETURNING id',
      { workspaceId: ctx.workspaceId, ticketId },
    );
    if (!touched) throw notFound();
    const row = await db.row<{ id: number }>(
      'INSERT INTO ticket_comments (workspace_id, ticket_id, body, is_internal, author_id, created_at) VALUES ($workspaceId, $ticketId, $body, $isInternal, $authorId, clock_timestamp()) RETURNING id',
      { workspaceId: ctx.workspaceId, ticketId, body: values.body, isInternal, authorId: ctx.actor.memberId },
    );
    if (!row) throw new Error('the comment was not stored');
    await recordEvent(ctx, {
      subjectType: 'ticket',
      subjectId: ticketId,
      kind: 'comment_added',
      data: { comment_id: row.id, is_internal: isInternal },
    });
    if (!isInternal) await noteFirstResponse(ctx, ticketId);
    return readComment(ctx, row.id);
  });
}

/** Returns comments by their ids, those that exist. */
export async function commentsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, CommentView>> {
  const rows = await ctx.runtime.db.rows<CommentView>(
    `SELECT k.id, ${columns} FROM ticket_comments k ${joins}
     WHERE ${ofWorkspace('k.workspace_id')} AND k.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** One comment of the workspace. Throws 404. */
export async function readComment(ctx: Ctx, id: number): Promise<CommentView> {
  const comment = await ctx.runtime.db.row<CommentView>(
    `SELECT k.id, ${columns} FROM ticket_comments k ${joins} WHERE k.workspace_id = $workspaceId AND k.id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!comment) throw notFound();
  return comment;
}
