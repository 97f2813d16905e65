import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { notFound } from '../../../core/http/errors';
import { recordEvent } from '../../../core/queue/events';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { of } from '../../../core/db/scoped';
import { dbClock, dbNow } from '../../../core/db/stored';
import { userJsonSql } from '../../identity/members/userColumns';
import type { CommentView } from './columns';
import { noteFirstResponse } from './contactActivity';
import { requireTicket } from './queries';
import type { NewComment } from './schema';

const columns = `k.body, k.is_internal, k.created_at, ${userJsonSql('m')} AS author`;
const joins = 'LEFT JOIN members m ON m.id = k.author_id';

/** Lists the comments of a ticket, oldest first. Throws 404. */
export async function listComments(ctx: Ctx, ticketId: number, paging: PagingInput): Promise<Page<CommentView>> {
  await requireTicket(ctx, ticketId);
  return listPage<Omit<CommentView, 'id'>>(
    ctx,
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
export async function addComment(ctx: Ctx, ticketId: number, values: NewComment): Promise<CommentView> {
  const { db } = ctx.runtime;
  const isInternal = values.is_internal ?? true;

  return db.transaction(async () => {
    const [touched] = await of(ctx, db.models.Ticket).update({ updated_at: dbNow }, { where: { id: ticketId } });
    if (touched === 0) throw notFound();
    const { id } = await db.models.TicketComment.create({
      workspace_id: ctx.workspaceId,
      ticket_id: ticketId,
      body: values.body,
      is_internal: isInternal,
      author_id: ctx.actor.memberId,
      // Not the transaction's time: several comments of one macro keep their order.
      created_at: dbClock,
    });

    await recordEvent(ctx, {
      subjectType: 'ticket',
      subjectId: ticketId,
      kind: 'comment_added',
      data: { comment_id: id, is_internal: isInternal },
    });
    if (!isInternal) await noteFirstResponse(ctx, ticketId);
    return readComment(ctx, id);
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

/** Reads one comment of the workspace. Throws 404. */
export async function readComment(ctx: Ctx, id: number): Promise<CommentView> {
  const comment = await ctx.runtime.db.row<CommentView>(
    `SELECT k.id, ${columns} FROM ticket_comments k ${joins} WHERE k.workspace_id = $workspaceId AND k.id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!comment) throw notFound();
  return comment;
}
