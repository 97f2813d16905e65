import { literal } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { notFound } from '../../../core/http/errors';
import { recordEvent } from '../../../core/queue/events';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { joined, of, recordsOf } from '../../../core/db/scoped';
import { dbClock, dbNow } from '../../../core/db/columnValues';
import { userJsonSql } from '../../identity/members/userColumns';
import { findMentioned } from '../notes/mentions';
import { noticeMentions } from '../notices/rows';
import type { CommentView } from './columns';
import { noteFirstResponse } from './contactActivity';
import { requireTicket } from './queries';
import type { NewComment } from './schema';

/** A comment as `CommentView` has it; the lists of a ticket read the same by their own statement. */
function findComments(ctx: Ctx, ids: readonly number[]): Promise<CommentView[]> {
  return recordsOf<CommentView>(ctx, ctx.runtime.db.models.TicketComment, {
    attributes: ['id', 'body', 'is_internal', 'created_at', [literal(userJsonSql('author')), 'author']],
    where: { id: [...ids] },
    include: [joined('author')],
  });
}

/** Lists the comments of a ticket, oldest first. Throws 404. */
export async function listComments(ctx: Ctx, ticketId: number, paging: PagingInput): Promise<Page<CommentView>> {
  await requireTicket(ctx, ticketId);
  return listPage<Omit<CommentView, 'id'>>(
    ctx,
    {
      select: `k.body, k.is_internal, k.created_at, ${userJsonSql('author')} AS author`,
      from: 'ticket_comments k',
      joins: 'LEFT JOIN members author ON author.id = k.author_id',
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
 * stands for an answer given elsewhere, and counts as the first response (contract 8.1). Members whose names follow an
 * `@` are told. Throws 404.
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
    await noticeMentions(ctx, { ticketId, commentId: id }, await findMentioned(ctx, values.body));
    if (!isInternal) await noteFirstResponse(ctx, ticketId);
    return readComment(ctx, id);
  });
}

/** Returns comments by their ids, those that exist. */
export async function commentsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, CommentView>> {
  return new Map((await findComments(ctx, ids)).map((row) => [row.id, row]));
}

/** Reads one comment of the workspace. Throws 404. */
export async function readComment(ctx: Ctx, id: number): Promise<CommentView> {
  const [comment] = await findComments(ctx, [id]);
  if (!comment) throw notFound();
  return comment;
}
