import { col, literal } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { joined, recordsOf } from '../../../core/db/scoped';
import { dbClock } from '../../../core/db/columnValues';
import { notFound } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { userJsonSql } from '../../identity/members/userColumns';
import { findContact } from '../contacts/service';
import { noticeMentions } from '../notices/rows';
import { findMentioned } from './mentions';
import type { NoteView } from './serializer';

/** Lists the notes of a conversation, newest first. Throws 404. */
export async function listNotes(ctx: Ctx, handle: string, paging: PagingInput): Promise<Page<NoteView>> {
  const { id: conversationId } = await findContact(ctx, handle);
  return listPage<Omit<NoteView, 'id'>>(
    ctx,
    {
      select: `n.body, n.mentioned_ids, n.created_at, c.receiver_id, ${userJsonSql('author')} AS author`,
      from: 'conversation_notes n',
      // A conversation has the id of its contact.
      joins: 'JOIN contacts c ON c.id = n.conversation_id LEFT JOIN members author ON author.id = n.author_id',
      where: ['n.workspace_id = $workspaceId', 'n.conversation_id = $conversationId'],
      bind: { workspaceId: ctx.workspaceId, conversationId },
      idSql: 'n.id',
      columns: { created_at: { sql: 'n.created_at', type: 'timestamptz' } },
      defaultOrdering: '-created_at',
    },
    paging,
  );
}

/**
 * Writes a note. It records no event: the trail, webhooks and agents are told what happens to a conversation, and this
 * stays among members (contract 18.1). Throws 404.
 */
export async function createNote(ctx: Ctx, handle: string, body: string): Promise<NoteView> {
  const { models } = ctx.runtime.db;
  return ctx.runtime.db.transaction(async () => {
    const conversation = await findContact(ctx, handle, true);
    const mentioned = await findMentioned(ctx, body);
    const { id } = await models.ConversationNote.create({
      workspace_id: ctx.workspaceId,
      conversation_id: conversation.id,
      author_id: ctx.actor.memberId,
      body,
      mentioned_ids: mentioned,
      created_at: dbClock,
    });
    await noticeMentions(ctx, { conversationId: conversation.id, noteId: id }, mentioned);
    return readNote(ctx, id);
  });
}

/** Reads one note. Throws 404. */
export async function readNote(ctx: Ctx, id: number): Promise<NoteView> {
  const [note] = await recordsOf<NoteView>(ctx, ctx.runtime.db.models.ConversationNote, {
    attributes: [
      ...['id', 'body', 'mentioned_ids', 'created_at'],
      [col('contact.receiver_id'), 'receiver_id'],
      [literal(userJsonSql('author')), 'author'],
    ],
    where: { id },
    include: [joined('contact', true), joined('author')],
  });
  if (!note) throw notFound();
  return note;
}
