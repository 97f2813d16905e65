import { sameMembers } from '../../../core/db/changes';
import type { Ctx } from '../../../core/context';
import type { Bind } from '../../../core/db/database';
import { invalidField } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import type { Page } from '../../../core/http/operations';
import { listPage } from '../../../core/http/paging';
import { isSelective, searchCondition, stateConditions } from '../contacts/lists';
import { conversationSortColumns, type listConversationsQuery } from './schema';
import { conversationColumns, lastMessageColumn, type ConversationView, type LastMessage } from './serializer';
import { waitsSql } from '../../../core/conversationStates';
import { markedUnread } from './unreadMarks';
import { wordsQuery, wordsQuerySql } from './words';

/** Filters of `GET /conversations/`. */
type ConversationFilters = InputOf<typeof listConversationsQuery>;

/** Returns the conversations of the workspace, filtered; newest message first. */
export async function listConversations(
  ctx: Ctx,
  filters: ConversationFilters,
): Promise<Page<ConversationView & LastMessage>> {
  const bind: Bind = { workspaceId: ctx.workspaceId };

  if (filters.status && filters.conv_status && !sameMembers(filters.status, filters.conv_status))
    throw invalidField('conv_status', 'status and conv_status say different things. Send one of them.');
  const statuses = filters.status ?? filters.conv_status;

  const where = ['v.workspace_id = $workspaceId', ...stateConditions({ ...filters, conv_status: statuses }, bind)];
  const search = searchCondition(filters.search, bind);
  // The same workspace on the contact lets the search use its own index.
  if (search.length > 0) where.push('c.workspace_id = $workspaceId', ...search);
  if (filters.tag !== undefined) {
    where.push('c.workspace_id = $workspaceId', 'c.tags @> $tag::jsonb');
    bind['tag'] = JSON.stringify([filters.tag]);
  }
  if (filters.unread !== undefined) {
    // Few have a mark of their own, and what most ask for stays what its index answers.
    const marked = await markedUnread(ctx);
    const unread = marked.length === 0 ? 'v.unread_count > 0' : '(v.unread_count > 0 OR v.id = ANY($marked::bigint[]))';
    if (marked.length > 0) bind['marked'] = marked;
    where.push(filters.unread ? unread : `NOT ${unread}`);
  }
  if (filters.has_messages !== undefined)
    where.push(filters.has_messages ? 'v.last_message_at IS NOT NULL' : 'v.last_message_at IS NULL');
  const exchanged = `${conversationSortColumns['last_exchange_at']?.sql} > 'epoch'`;
  if (filters.has_exchange !== undefined) where.push(filters.has_exchange ? exchanged : `NOT ${exchanged}`);
  if (filters.waiting !== undefined) where.push(filters.waiting ? waitsSql : `NOT ${waitsSql}`);
  if (filters.window_open !== undefined) {
    where.push(filters.window_open ? 'v.active_till > $now' : '(v.active_till IS NULL OR v.active_till <= $now)');
    bind['now'] = ctx.runtime.clock.now();
  }
  if (filters.updated_after !== undefined) {
    where.push('v.updated_at > $updatedAfter');
    bind['updatedAfter'] = filters.updated_after;
  }

  if (filters.search_messages !== undefined) {
    where.push(`v.id IN (SELECT m.conversation_id FROM messages m
      WHERE m.workspace_id = $workspaceId AND m.words @@ ${wordsQuerySql('$words')})`);
    bind['words'] = wordsQuery(filters.search_messages);
  }

  const needsContact = search.length > 0 || filters.tag !== undefined;
  return listPage<ConversationView & LastMessage>(
    ctx,
    {
      select: `${conversationColumns}, ${lastMessageColumn}`,
      from: needsContact ? 'conversations v JOIN contacts c ON c.id = v.contact_id' : 'conversations v',
      joins: 'JOIN contacts c ON c.id = v.contact_id LEFT JOIN messages m ON m.id = v.last_message_id',
      where,
      bind,
      idSql: 'v.id',
      columns: { ...conversationSortColumns, waiting_since: { sql: 'v.unanswered_since', type: 'timestamptz' } },
      defaultOrdering: filters.waiting === true ? 'waiting_since' : '-last_message_at',
      selective: isSelective(filters) || filters.search_messages !== undefined,
    },
    filters,
  );
}

/** Counts the conversations whose customer waits for an answer, up to a limit. */
export async function countWaiting(ctx: Ctx, limit: number): Promise<number> {
  // Read for every page: no more than the index of those who wait.
  const row = await ctx.runtime.db.row<{ count: number }>(
    `SELECT count(*)::int AS count
     FROM (SELECT 1 FROM conversations v WHERE v.workspace_id = $workspaceId AND ${waitsSql} LIMIT ${limit}) waiting`,
    { workspaceId: ctx.workspaceId },
  );
  return row?.count ?? 0;
}
