import type { ConversationRow } from '../../../../models';
import type { ConvStatus } from '../../../../models/enums';
import { dueNow } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { reaction } from '../../../core/reactions';
import { ofWorkspace } from '../../../core/db/database';
import { type AppError, invalid, invalidField, invalidPk, notFound } from '../../../core/http/errors';
import type { EventKind } from '../../../core/queue/eventKinds';
import { recordEvents, type EventInput } from '../../../core/queue/events';
import type { InputOf } from '../../../core/http/fields';
import { of } from '../../../core/db/scoped';
import type { Changes } from '../../../core/db/columnValues';
import { contactsMerged } from '../contacts/aliases';
import { applyProfile, findContact } from '../contacts/service';
import type { Subject } from '../customFields/values';
import { createNote } from '../notes/service';
import { changedAs, noteHappened } from '../rules/starts';
import { decideByHand } from './queue';
import { conversationColumns, lastMessageColumn, type ConversationView, type LastMessage } from './serializer';
import type { updateContactInput } from './schema';
import { moveEpisode } from './episodes';
import { moveConversationSla } from './sla';
import { setSnoozeTimer } from './snooze';
import { reason } from '../reasons';

/** SQL: a conversation with its contact and its last message. */
const viewSql = `SELECT v.id, ${conversationColumns}, ${lastMessageColumn}, ARRAY(SELECT h.conversation_id
    FROM left_histories h WHERE h.workspace_id = v.workspace_id AND h.kept_id = v.id) AS former_ids
  FROM conversations v JOIN contacts c ON c.id = v.contact_id LEFT JOIN messages m ON m.id = v.last_message_id`;

/** A conversation as it is read alone. */
export interface FoundConversation extends ConversationView, LastMessage {
  /** Conversations that were merged into it just now: their older messages still carry these ids. */
  readonly former_ids: readonly number[];
}

/** Returns the conversation behind a contact's handle. Throws 404. */
export async function findConversation(ctx: Ctx, handle: string): Promise<FoundConversation> {
  return conversationOf(ctx, (await findContact(ctx, handle)).id);
}

/** Returns a conversation by its id, which answers as well where its contact has become another one. Throws 404. */
async function conversationOf(ctx: Ctx, id: number): Promise<FoundConversation> {
  const found = (await conversationsByIds(ctx, [id])).get(id);
  if (!found) throw notFound();
  return found;
}

/** Returns conversations by their ids, those that exist; a merged one answers by its former id, too. */
export async function conversationsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, FoundConversation>> {
  const rows = await ctx.runtime.db.rows<FoundConversation>(
    `${viewSql} WHERE ${ofWorkspace('v.workspace_id')} AND v.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  const merged = await contactsMerged(
    ctx,
    ids.filter((id) => !found.has(id)),
  );
  if (merged.size === 0) return found;
  const present = await conversationsByIds(ctx, [...merged.values()]);
  for (const [former, id] of merged) {
    const conversation = present.get(id);
    if (conversation) found.set(former, conversation);
  }
  return found;
}

/**
 * Returns a conversation with its contact, both locked for the surrounding transaction; the id of a merged one answers
 * too. Throws 404.
 */
export async function lockConversation(
  ctx: Ctx,
  by: { readonly contactId: number } | { readonly conversationId: number },
): Promise<ConversationView> {
  // One person, one number: a conversation has the id of its contact, and answers to its former ids.
  const value = 'contactId' in by ? by.contactId : by.conversationId;
  // The contact first, as everywhere: rows are locked in the order in which they are named.
  const row = await ctx.runtime.db.row<ConversationView>(
    `SELECT v.id, ${conversationColumns}
     FROM conversations v JOIN contacts c ON c.id = v.contact_id
     WHERE v.workspace_id = $workspaceId AND v.id = $value
     FOR UPDATE OF c, v`,
    { workspaceId: ctx.workspaceId, value },
  );
  if (row) return row;

  const merged = (await contactsMerged(ctx, [value])).get(value);
  if (merged === undefined) throw notFound();
  return lockConversation(ctx, { contactId: merged });
}

/**
 * What follows where somebody resolves a conversation: its customer may be asked for a rating, which is a send. In the
 * transaction of the change, which holds the lock.
 */
export const afterResolving = reaction<[ctx: Ctx, conversationId: number]>('the resolving of a conversation');

/** What PATCH of a conversation or contact may change. */
export type StatePatch = InputOf<typeof updateContactInput>;

/**
 * Changes state and profile together in one transaction, and writes a note that comes with it; both PATCH paths come
 * here.
 */
export async function updateConversation(
  ctx: Ctx,
  handle: string,
  { note, ...patch }: StatePatch & { readonly note?: string | undefined },
  subjects: readonly Subject[] = ['conversations'],
): Promise<ConversationView & LastMessage> {
  const changed = await ctx.runtime.db.transaction(async () => {
    const contact = await findContact(ctx, handle, true);
    const conversation = await lockConversation(ctx, { contactId: contact.id });
    await ctx.precondition?.();
    await applyPatch(ctx, conversation, patch, subjects);
    const isResolving = [patch.conv_status, patch.conversation_status, patch.status].includes('resolved');
    if (isResolving && conversation.conv_status !== 'resolved') await afterResolving.happen(ctx, conversation.id);
    // The note last: a change that is refused writes none.
    if (note !== undefined) await createNote(ctx, handle, note);
    return conversation.id;
  });
  return conversationOf(ctx, changed);
}

/**
 * Applies a patch to a locked conversation and its contact; returns whether it changed anything. Throws 400; macros
 * call it step by step. `subjects` are those whose custom fields may be written; `data` is noted in the trail.
 * What is no news starts no rule.
 */
export async function applyPatch(
  ctx: Ctx,
  conversation: ConversationView,
  patch: StatePatch,
  subjects: readonly Subject[] = ['conversations'],
  data: Record<string, unknown> = {},
  isNews = true,
): Promise<boolean> {
  const next = decideState(conversation, patch);
  if (next?.snoozedUntil && next.snoozedUntil <= (await dueNow(ctx.runtime))) throw notFuture();
  await refuseForeignAssignee(ctx, patch, conversation);
  const profile = await applyProfile(ctx, { ...conversation, id: conversation.contact_id }, patch, subjects);
  const events: EventInput[] = [];
  if (Object.keys(profile).length > 0)
    events.push({
      subjectType: 'contact',
      subjectId: conversation.contact_id,
      kind: 'contact_updated',
      changes: profile,
      data,
    });

  const { columns, changes } = stateChanges(ctx, conversation, patch, next);
  if (Object.keys(columns).length > 0) {
    // SQL: the most frequent change of all, and a model's update costs three times the processor time of the statement.
    await ctx.runtime.db.rows(
      `UPDATE conversations
       SET ${Object.keys(columns)
         .map((column) => `${column} = $${column}`)
         .join(', ')}, updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $id`,
      { ...columns, workspaceId: ctx.workspaceId, id: conversation.id },
    );
    events.push({ subjectType: 'conversation', subjectId: conversation.id, kind: kindOf(changes), changes, data });
  }
  if (patch.assigned_member) await decideByHand(ctx, conversation.id);
  const recorded = await recordEvents(ctx, events);
  const note = async (): Promise<void> => {
    if (recorded.watched && isNews)
      await noteHappened(ctx, changedAs(conversation.id, recorded.first, { ...profile, ...changes }));
  };
  if (!next) {
    await note();
    return events.length > 0;
  }

  await moveEpisode(ctx, conversation, next.status);
  await moveConversationSla(ctx, conversation, next.status);
  if (next.status === 'snoozed' || conversation.conv_status === 'snoozed')
    await setSnoozeTimer(ctx, conversation.id, next.snoozedUntil, conversation.snooze_version + 1);
  await note();
  return true;
}

/** Columns of a conversation with their new values. */
type Columns = Partial<ConversationRow>;

/** The fields of a patch that are columns of the conversation, with the names of those. */
const plainFields = [
  ['priority', 'priority'],
  ['assigned_member', 'assigned_member_id'],
  ['assigned_team_inbox', 'assigned_team_inbox_id'],
  ['calling_permission', 'calling_permission'],
] as const;

/**
 * Returns the columns that a patch changes on a locked conversation, and the differences under the names of the fields.
 */
function stateChanges(
  ctx: Ctx,
  conversation: ConversationView,
  patch: StatePatch,
  next: NextState | null,
): { columns: Columns; changes: Changes } {
  const changes: Changes = {};
  const given = plainFields.filter(
    ([field, column]) => patch[field] !== undefined && patch[field] !== conversation[column],
  );
  for (const [field, column] of given) changes[field] = { from: conversation[column], to: patch[field] };
  const columns: Columns = Object.fromEntries(given.map(([field, column]) => [column, patch[field]]));
  if (!next) return { columns, changes };

  // The row is locked: nothing has moved the version or the time meanwhile.
  Object.assign(columns, {
    conv_status: next.status,
    snoozed_until: next.snoozedUntil,
    snooze_version: conversation.snooze_version + 1,
    wrote_while_snoozed: false,
    resolved_at: next.status === 'resolved' ? (conversation.resolved_at ?? ctx.runtime.clock.now()) : null,
  });
  if (next.status !== conversation.conv_status)
    changes['conv_status'] = { from: conversation.conv_status, to: next.status };
  if ((next.snoozedUntil?.getTime() ?? null) !== (conversation.snoozed_until?.getTime() ?? null))
    changes['snoozed_until'] = { from: conversation.snoozed_until, to: next.snoozedUntil };
  return { columns, changes };
}

function kindOf(changes: Changes): EventKind<'conversation'> {
  if (changes['conv_status']) return 'status_changed';
  if (changes['snoozed_until']) return 'snooze_changed';
  if (changes['assigned_member'] || changes['assigned_team_inbox']) return 'assignment_changed';
  return changes['priority'] ? 'priority_changed' : 'conversation_updated';
}

/** A status with the time until which it lasts: a snoozed one has it, all others have none. */
interface NextState {
  readonly status: ConvStatus;
  readonly snoozedUntil: Date | null;
}

/** Returns the status and snooze time that a patch asks for; null where they stay. */
function decideState(
  current: Pick<ConversationView, 'conv_status' | 'snoozed_until'>,
  patch: StatePatch,
): NextState | null {
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
    ((status ?? current.conv_status) === current.conv_status && until === null && current.snoozed_until === null) ||
    ((status ?? 'snoozed') === current.conv_status && until && until.getTime() === current.snoozed_until?.getTime())
  )
    return null;

  if (status === 'snoozed' || status === undefined) {
    const retimes = status === 'snoozed' || current.conv_status === 'snoozed';
    if (!retimes || !until) throw notFuture();
    return { status: 'snoozed', snoozedUntil: until };
  }
  return status === current.conv_status ? null : { status, snoozedUntil: null };
}

function notFuture(): AppError {
  return invalidField('snoozed_until', reason('pastSnooze'));
}

/** Throws the 400 of a new assignee who is not there; the present one is not judged again. */
async function refuseForeignAssignee(ctx: Ctx, patch: StatePatch, current: ConversationView): Promise<void> {
  const { models } = ctx.runtime.db;
  const { assigned_member: member, assigned_team_inbox: inbox } = patch;

  if (member && member !== current.assigned_member_id) {
    const found = await of(ctx, models.Member).count({ where: { id: member, is_active: true } });
    if (found === 0) throw invalidPk('assigned_member', member);
  }
  if (inbox && inbox !== current.assigned_team_inbox_id) {
    const found = await of(ctx, models.TeamInbox).count({ where: { id: inbox } });
    if (found === 0) throw invalidPk('assigned_team_inbox', inbox);
  }
}
