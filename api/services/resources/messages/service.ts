import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { userJsonSql } from '../../identity/members/userColumns';
import { handleBind, namedSql } from '../contacts/handles';
import { findContact } from '../contacts/service';
import { clearUnread } from '../conversations/rows';
import { clearMark } from '../conversations/unreadMarks';
import { serializeReceiver, type ConversationView, type LastMessage } from '../conversations/serializer';
import {
  conversationsByIds,
  findConversation,
  lockConversation,
  type FoundConversation,
} from '../conversations/service';
import { tellCustomer } from './customerSigns';
import { markMessagesRead } from './rows/read';
import {
  messageColumns,
  scheduledAsMessages,
  scheduledColumns,
  serializeMessage,
  type MessageView,
} from './serializer';

const numberJson = `CASE WHEN p.id IS NULL THEN NULL ELSE jsonb_build_object(
    'phone_number_id', p.phone_number_id,
    'quality_rating', p.quality_rating,
    'display_phone_number', p.display_phone_number,
    'verified_name', p.verified_name,
    'business_account_id', p.business_account_id,
    'messaging_limit_tier', p.messaging_limit_tier
  ) END AS number`;
const messageJoins =
  'LEFT JOIN phone_numbers p ON p.id = m.phone_number_id LEFT JOIN members u ON u.id = m.sent_by_member_id';

const sortColumns = { created_at: { sql: 'm.created_at', type: 'timestamptz' } } as const;

/** What a list of messages reads of each, newest first. */
export const messageSource = {
  select: `${messageColumns}, ${numberJson}, ${userJsonSql('u')} AS sender`,
  joins: messageJoins,
  idSql: 'm.id',
  columns: sortColumns,
  defaultOrdering: '-created_at',
} as const;

/** Returns the messages of a conversation, newest first (contract 4). */
export async function listMessages(
  ctx: Ctx,
  conversation: FoundConversation,
  paging: PagingInput,
): Promise<Page<MessageView>> {
  const { either, bind } = messagesOf(conversation);
  return listPage<MessageView>(
    ctx,
    {
      ...messageSource,
      from: 'messages m',
      where: ['m.workspace_id = $workspaceId'],
      either,
      bind: { workspaceId: ctx.workspaceId, ...bind },
    },
    paging,
  );
}

/** Returns the conditions of which one is true for each message `m` of a conversation, with their values. */
export function messagesOf({ id, former_ids: formerIds }: FoundConversation): {
  readonly either: readonly string[];
  readonly bind: Readonly<Record<string, number>>;
} {
  const ids = [id, ...formerIds];
  return {
    either: ids.map((_id, place) => `m.conversation_id = $conversationId${place}`),
    bind: Object.fromEntries(ids.map((one, place) => [`conversationId${place}`, one])),
  };
}

/** Returns a message with the conversation that it embeds, ready for the wire; null where there is none. */
export async function readMessage(ctx: Ctx, id: number): Promise<Record<string, unknown> | null> {
  return (await messagesByIds(ctx, [id])).get(id)?.message ?? null;
}

/** Returns the messages of a conversation that wait for their moment or for a member, the next one first. */
export async function listScheduled(ctx: Ctx, conversationId: number): Promise<MessageView[]> {
  return ctx.runtime.db.rows<MessageView>(
    `${scheduledSql}
     WHERE m.workspace_id = $workspaceId AND m.conversation_id = $conversationId ORDER BY m.send_at, m.id`,
    { workspaceId: ctx.workspaceId, conversationId },
  );
}

const scheduledSql = `SELECT m.id, ${messageColumns}, ${scheduledColumns}, ${numberJson}, ${userJsonSql('u')} AS sender
  FROM ${scheduledAsMessages} m ${messageJoins}`;

/** Returns messages by their ids, those that exist, each with the conversation that it embeds, ready for the wire. */
export async function messagesByIds(
  ctx: Ctx,
  ids: readonly number[],
): Promise<Map<number, { readonly contactId: number; readonly message: Record<string, unknown> }>> {
  const sent = await sentByIds(ctx, ids);
  const missing = ids.filter((id) => !sent.some((row) => row.id === id));
  const waiting =
    missing.length === 0
      ? []
      : await ctx.runtime.db.rows<MessageView>(
          `${scheduledSql} WHERE m.workspace_id = $workspaceId AND m.id = ANY($ids::bigint[])`,
          { workspaceId: ctx.workspaceId, ids: missing },
        );
  // One that was sent between both looks is found by another one.
  const left = missing.filter((id) => !waiting.some((row) => row.id === id));
  const messages = [...sent, ...waiting, ...(left.length === 0 ? [] : await sentByIds(ctx, left))];

  const conversations = await conversationsByIds(ctx, [...new Set(messages.map((row) => row.conversation_id))]);
  const now = ctx.runtime.clock.now();
  return new Map(
    messages.flatMap((row) => {
      const conversation = conversations.get(row.conversation_id);
      if (!conversation) return [];
      const message = serializeMessage(row, serializeReceiver(conversation, now));
      return [[row.id, { contactId: conversation.id, message }]];
    }),
  );
}

function sentByIds(ctx: Ctx, ids: readonly number[]): Promise<MessageView[]> {
  return ctx.runtime.db.rows<MessageView>(
    `SELECT m.id, ${messageColumns}, ${numberJson}, ${userJsonSql('u')} AS sender
     FROM messages m ${messageJoins}
     WHERE ${ofWorkspace('m.workspace_id')} AND m.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
}

/** Returns the newest messages of the conversations that handles name: up to so many of each, newest first. */
export async function newestMessages(
  ctx: Ctx,
  handles: readonly string[],
  count: number,
): Promise<ReadonlyMap<string, readonly MessageView[]>> {
  if (handles.length === 0) return new Map();
  const rows = await ctx.runtime.db.rows<MessageView & { readonly handle: string }>(
    `WITH ${namedSql}
     SELECT w.handle, m.id, ${messageColumns}, ${numberJson}, ${userJsonSql('u')} AS sender
     FROM named w CROSS JOIN LATERAL (
       SELECT * FROM messages
       WHERE conversation_id = w.contact_id AND ${ofWorkspace('workspace_id')}
       ORDER BY created_at DESC, id DESC LIMIT $count
     ) m ${messageJoins}
     ORDER BY m.created_at DESC, m.id DESC`,
    { workspaceId: ctx.workspaceId, count, ...handleBind([...new Set(handles)]) },
  );
  const found = new Map(rows.map(({ handle }): [string, MessageView[]] => [handle, []]));
  for (const row of rows) found.get(row.handle)?.push(row);
  return found;
}

/**
 * Marks all inbound messages of a conversation as read, and takes the acting member's own mark from it. The customer is
 * told of what a person has read in their session.
 */
export async function markRead(ctx: Ctx, handle: string): Promise<ConversationView & LastMessage> {
  await ctx.runtime.db.transaction(async () => {
    const contact = await findContact(ctx, handle);
    const conversation = await lockConversation(ctx, { contactId: contact.id });
    const isNew = await markMessagesRead(ctx, conversation.id);
    if (isNew && ctx.actor.sessionId !== undefined) tellCustomer(ctx, conversation.id, 'read');
    await clearUnread(ctx, conversation.id);
    await clearMark(ctx, conversation.id);
  });
  return findConversation(ctx, handle);
}
