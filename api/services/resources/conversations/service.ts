import { sameMembers } from '../../../core/changes';
import type { Ctx } from '../../../core/context';
import { ofWorkspace, type Bind } from '../../../core/db';
import { invalid, invalidField, invalidPk, notFound } from '../../../core/errors';
import { recordEvents, type EventInput } from '../../../core/events';
import type { Page } from '../../../core/operations';
import { listPage } from '../../../core/paging';
import {
  applyProfile,
  findContact,
  isIndexed,
  searchCondition,
  stateConditions,
  type ContactFilters,
  type ContactInput,
} from '../contacts/service';
import type { Subject } from '../customFields/values';
import { stopConversationSla } from './sla';
import { conversationSortColumns } from './schema';
import { conversationColumns, type ConversationView, type LastMessage } from './serializer';
import { armSnooze, cancelSnooze } from './snooze';

export interface ConversationFilters extends ContactFilters {
  readonly status?: readonly string[] | undefined;
  readonly unread?: boolean | undefined;
  readonly window_open?: boolean | undefined;
  readonly has_messages?: boolean | undefined;
}

const lastMessageColumn = `CASE WHEN m.id IS NULL THEN NULL ELSE jsonb_build_object('id', m.id, 'direction', m.direction, 'type', m.type,
  'message_status', m.message_status, 'body', m.body, 'created_at', m.created_at) END AS last_message`;

/** Conversations of the workspace, filtered; newest message first (contract 6). */
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
  if (filters.unread !== undefined) where.push(filters.unread ? 'v.unread_count > 0' : 'v.unread_count = 0');
  if (filters.has_messages !== undefined)
    where.push(filters.has_messages ? 'v.last_message_at IS NOT NULL' : 'v.last_message_at IS NULL');
  if (filters.window_open !== undefined) {
    where.push(filters.window_open ? 'v.active_till > $now' : '(v.active_till IS NULL OR v.active_till <= $now)');
    bind['now'] = ctx.runtime.clock.now();
  }
  if (filters.updated_after !== undefined) {
    where.push('v.updated_at > $updatedAfter');
    bind['updatedAfter'] = filters.updated_after;
  }
  const needsContact = search.length > 0 || filters.tag !== undefined;
  return listPage<ConversationView & LastMessage>(
    ctx.runtime.db,
    {
      select: `${conversationColumns}, ${lastMessageColumn}`,
      from: needsContact ? 'conversations v JOIN contacts c ON c.id = v.contact_id' : 'conversations v',
      joins: 'JOIN contacts c ON c.id = v.contact_id LEFT JOIN messages m ON m.id = v.last_message_id',
      where,
      bind,
      idSql: 'v.id',
      columns: conversationSortColumns,
      defaultOrdering: '-last_message_at',
      selective: isIndexed(filters.search),
    },
    filters,
  );
}

/** The conversation behind a contact's handle. Throws 404. */
export async function findConversation(ctx: Ctx, handle: string): Promise<ConversationView & LastMessage> {
  const contact = await findContact(ctx, handle);
  const row = await ctx.runtime.db.row<ConversationView & LastMessage>(
    `SELECT v.id, ${conversationColumns}, ${lastMessageColumn} FROM conversations v JOIN contacts c ON c.id = v.contact_id LEFT JOIN messages m ON m.id = v.last_message_id
     WHERE v.workspace_id = $workspaceId AND v.contact_id = $contactId`,
    { workspaceId: ctx.workspaceId, contactId: contact.id },
  );
  if (!row) throw notFound();
  return row;
}

/** Returns conversations by their ids, those that exist. */
export async function conversationsByIds(
  ctx: Ctx,
  ids: readonly number[],
): Promise<Map<number, ConversationView & LastMessage>> {
  const rows = await ctx.runtime.db.rows<ConversationView & LastMessage>(
    `SELECT v.id, ${conversationColumns}, ${lastMessageColumn}
     FROM conversations v JOIN contacts c ON c.id = v.contact_id LEFT JOIN messages m ON m.id = v.last_message_id
     WHERE ${ofWorkspace('v.workspace_id')} AND v.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** A conversation with its contact, both locked for the surrounding transaction; the id of a merged one answers too. Throws 404. */
export async function lockConversation(
  ctx: Ctx,
  by: { readonly contactId: number } | { readonly conversationId: number },
): Promise<ConversationView> {
  // One person, one number: a conversation has the id of its contact, and answers to its former ids.
  const value = 'contactId' in by ? by.contactId : by.conversationId;
  // The contact first, as everywhere: rows are locked in the order in which they are named.
  const row = await ctx.runtime.db.row<ConversationView>(
    `SELECT v.id, ${conversationColumns} FROM conversations v JOIN contacts c ON c.id = v.contact_id
     WHERE v.workspace_id = $workspaceId AND v.id = $value FOR UPDATE OF c, v`,
    { workspaceId: ctx.workspaceId, value },
  );
  if (row) return row;
  const merged = await ctx.runtime.db.row<{ contact_id: number }>(
    "SELECT contact_id FROM contact_aliases WHERE workspace_id = $workspaceId AND kind = 'id' AND value = $value",
    { workspaceId: ctx.workspaceId, value: String(value) },
  );
  if (!merged) throw notFound();
  return lockConversation(ctx, { contactId: merged.contact_id });
}

type ConvStatus = ConversationView['conv_status'];

/** What PATCH of a conversation or contact may change (contract 6.1, 5). */
export interface StatePatch extends Omit<ContactInput, 'phone' | 'bsuid'> {
  readonly conv_status?: ConvStatus | undefined;
  readonly conversation_status?: ConvStatus | undefined;
  readonly status?: ConvStatus | undefined;
  readonly snoozed_until?: Date | null | undefined;
  readonly priority?: ConversationView['priority'] | undefined;
  readonly assigned_member?: number | null | undefined;
  readonly assigned_team_inbox?: number | null | undefined;
  readonly calling_permission?: boolean | undefined;
}

/** Changes state and profile together in one transaction; both PATCH paths come here (contract 5). */
export async function updateConversation(
  ctx: Ctx,
  handle: string,
  patch: StatePatch,
  subjects: readonly Subject[] = ['conversations'],
): Promise<ConversationView & LastMessage> {
  await ctx.runtime.db.transaction(async () => {
    const contact = await findContact(ctx, handle, true);
    const conversation = await lockConversation(ctx, { contactId: contact.id });
    await applyPatch(ctx, conversation, patch, subjects);
  });
  return findConversation(ctx, handle);
}

/** Applies a patch to a locked conversation and its contact. Throws 400; macros call it step by step. `subjects` are those whose custom fields may be written. */
export async function applyPatch(
  ctx: Ctx,
  conversation: ConversationView,
  patch: StatePatch,
  subjects: readonly Subject[] = ['conversations'],
): Promise<void> {
  const next = decideState(conversation, patch, ctx.runtime.clock.now());
  await refuseForeignAssignee(ctx, patch, conversation);
  const profile = await applyProfile(ctx, { ...conversation, id: conversation.contact_id }, patch, subjects);
  const events: EventInput[] = [];
  if (Object.keys(profile).length > 0)
    events.push({
      subjectType: 'contact',
      subjectId: conversation.contact_id,
      kind: 'contact_updated',
      changes: profile,
    });

  const sets: string[] = [];
  const bind: Bind = { workspaceId: ctx.workspaceId, id: conversation.id };
  const changes: Record<string, { from: unknown; to: unknown }> = {};
  const set = (column: string, value: unknown, name: string, before: unknown): void => {
    if (value === undefined || value === before) return;
    sets.push(`${column} = $${column}`);
    bind[column] = value;
    changes[name] = { from: before, to: value };
  };
  set('priority', patch.priority, 'priority', conversation.priority);
  set('assigned_member_id', patch.assigned_member, 'assigned_member', conversation.assigned_member_id);
  set('assigned_team_inbox_id', patch.assigned_team_inbox, 'assigned_team_inbox', conversation.assigned_team_inbox_id);
  set('calling_permission', patch.calling_permission, 'calling_permission', conversation.calling_permission);
  if (next) {
    sets.push(
      'conv_status = $convStatus::text',
      'snoozed_until = $snoozedUntil::timestamptz',
      'snooze_version = snooze_version + 1',
      "resolved_at = CASE WHEN $convStatus::text = 'resolved' THEN coalesce(resolved_at, $now::timestamptz) END",
    );
    Object.assign(bind, { convStatus: next.status, snoozedUntil: next.snoozedUntil, now: ctx.runtime.clock.now() });
    if (next.status !== conversation.conv_status)
      changes['conv_status'] = { from: conversation.conv_status, to: next.status };
    if ((next.snoozedUntil?.getTime() ?? null) !== (conversation.snoozed_until?.getTime() ?? null)) {
      changes['snoozed_until'] = { from: conversation.snoozed_until, to: next.snoozedUntil };
    }
  }
  if (sets.length > 0) {
    await ctx.runtime.db.rows(
      `UPDATE conversations SET ${sets.join(', ')}, updated_at = now() WHERE workspace_id = $workspaceId AND id = $id`,
      bind,
    );
    events.push({ subjectType: 'conversation', subjectId: conversation.id, kind: kindOf(changes), changes });
  }
  await recordEvents(ctx, events);
  if (!next) return;
  await stopConversationSla(ctx, conversation.id, next.status);
  const version = conversation.snooze_version + 1;
  if (next.status === 'snoozed' && next.snoozedUntil) await armSnooze(ctx, conversation.id, next.snoozedUntil, version);
  else if (conversation.conv_status === 'snoozed') await cancelSnooze(ctx, conversation.id, version);
}

function kindOf(changes: Record<string, unknown>): string {
  if (changes['conv_status']) return 'status_changed';
  if (changes['snoozed_until']) return 'snooze_changed';
  if (changes['assigned_member'] || changes['assigned_team_inbox']) return 'assignment_changed';
  return changes['priority'] ? 'priority_changed' : 'conversation_updated';
}

/** The status and snooze time that a patch asks for; null where they stay (contract 6.2). */
export function decideState(
  current: Pick<ConversationView, 'conv_status' | 'snoozed_until'>,
  patch: StatePatch,
  now: Date,
): { status: ConvStatus; snoozedUntil: Date | null } | null {
  const given = [patch.conv_status, patch.conversation_status, patch.status].filter((status) => status !== undefined);
  if (new Set(given).size > 1)
    throw invalid({
      conv_status: ['conv_status, conversation_status and status say different things. Send one of them.'],
    });
  const status = given[0];
  const until = patch.snoozed_until;
  if (status === undefined && until === undefined) return null;
  // What is stored already asks for nothing, also where its time has come and the timer has not.
  if (
    (status === current.conv_status && until === null && current.snoozed_until === null) ||
    ((status ?? 'snoozed') === current.conv_status && until && until.getTime() === current.snoozed_until?.getTime())
  )
    return null;
  if (status === 'snoozed' || status === undefined) {
    const retimes = status === 'snoozed' || current.conv_status === 'snoozed';
    if (!retimes || !until || until <= now)
      throw invalidField('snoozed_until', 'A future datetime is required to snooze.');
    return { status: 'snoozed', snoozedUntil: until };
  }
  return status === current.conv_status ? null : { status, snoozedUntil: null };
}

/** Refuses a new assignee who is not there; the present one is not judged again. */
async function refuseForeignAssignee(ctx: Ctx, patch: StatePatch, current: ConversationView): Promise<void> {
  if (patch.assigned_member && patch.assigned_member !== current.assigned_member_id) {
    const found = await ctx.runtime.db.row(
      'SELECT 1 AS ok FROM members WHERE workspace_id = $workspaceId AND id = $id AND is_active',
      { workspaceId: ctx.workspaceId, id: patch.assigned_member },
    );
    if (!found) throw invalidPk('assigned_member', patch.assigned_member);
  }
  if (patch.assigned_team_inbox && patch.assigned_team_inbox !== current.assigned_team_inbox_id) {
    const found = await ctx.runtime.db.row(
      'SELECT 1 AS ok FROM team_inboxes WHERE workspace_id = $workspaceId AND id = $id',
      { workspaceId: ctx.workspaceId, id: patch.assigned_team_inbox },
    );
    if (!found) throw invalidPk('assigned_team_inbox', patch.assigned_team_inbox);
  }
}
