import type { Ctx } from '../../../core/context';
import { sameMembers } from '../../../core/db/changes';
import { conflict, notFound } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import { isOwnDecision } from '../../resources/contacts/preference';
import { listConversations } from '../../resources/conversations/lists';
import type { ConversationView } from '../../resources/conversations/serializer';
import { applyPatch, lockConversation, type StatePatch } from '../../resources/conversations/service';
import { markUnread } from '../../resources/conversations/unreadMarks';
import {
  batchesOf,
  changeEach,
  matchingIds,
  namedIds,
  refusalOf,
  requireChange,
  requireOneWay,
  type BulkOutcome,
  type Selected,
} from './batches';
import type { bulkChangeInput, whichInput } from './schema';
import { tagsAfter } from './tags';
import { reason } from '../../resources/reasons';

type Input = InputOf<typeof bulkChangeInput>;
type Which = InputOf<typeof whichInput>;

/** Within this time a bulk change can be taken back. */
export const undoSeconds = 60;

/** Changes many conversations, each by the rules of a single one. Throws 400 where none takes the change. */
export async function changeMany(ctx: Ctx, { receiver_ids: handles, filters, change }: Input): Promise<BulkOutcome> {
  requireChange(change);
  const selected = await selectedBy(ctx, { handles, filters });
  const { add_tags: add, remove_tags: remove, ...state } = change;
  return changeEach(ctx, selected, async (id, bulk) => {
    const conversation = await lockConversation(ctx, { conversationId: id });
    const tags = tagsAfter(conversation.tags, add, remove);
    const patch = { ...state, ...(tags === undefined ? {} : { tags }) };
    return applyPatch(ctx, conversation, patch, ['conversations'], { bulk });
  });
}

/** Marks a selection, or all that match, as unread for the acting member. Returns how many have the mark now. */
export async function markManyUnread(ctx: Ctx, { receiver_ids: handles, filters }: Which): Promise<number> {
  return markUnread(ctx, (await selectedBy(ctx, { handles, filters })).ids);
}

/** Returns what is selected, or matches. Throws the 400 of a request that says both or nothing. */
async function selectedBy(
  ctx: Ctx,
  { handles, filters }: { handles: Which['receiver_ids']; filters: Which['filters'] },
): Promise<Selected> {
  requireOneWay('receiver_ids', handles, filters);
  return handles
    ? namedIds(ctx, handles)
    : matchingIds(ctx, 'conversations', (own, paging) => listConversations(own, { ...filters, ...paging }));
}

interface Recorded {
  readonly subject_id: number;
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  readonly is_late: boolean;
}

/** What a bulk change is of: a contact carries the tags of its conversation. */
const subjects = { conversations: ['conversation', 'contact'], contacts: ['contact'], tickets: ['ticket'] } as const;
export type BulkSubject = keyof typeof subjects;

/** A bulk change that can be taken back. */
interface LastChange {
  readonly id: number;
  readonly of: BulkSubject;
  readonly changed: number;
  /** For how long it can. */
  readonly seconds: number;
}

/**
 * Returns the acting member's last bulk change, as long as it can be taken back; null: there is none, or it has told
 * somebody.
 */
export async function lastBulkChange(ctx: Ctx): Promise<LastChange | null> {
  // SQL: what is late is a question to the clock of the database.
  const last = await ctx.runtime.db.row<LastChange & { readonly is_told: boolean }>(
    `SELECT (data->>'bulk')::bigint AS id, count(DISTINCT subject_id)::int AS changed,
       CASE WHEN bool_or(subject_type = 'ticket') THEN 'tickets'
         ELSE coalesce(max(data->>'bulk_of'), 'conversations') END AS of,
       bool_or(coalesce((data->>'notified')::boolean, false)) AS is_told,
       ${undoSeconds} - ceil(extract(epoch FROM clock_timestamp() - min(created_at)))::int AS seconds
     FROM events
     WHERE workspace_id = $workspaceId AND created_at > clock_timestamp() - interval '${undoSeconds} seconds'
       AND actor_member_id = $memberId AND subject_type IN ('conversation', 'contact', 'ticket') AND data ? 'bulk'
     GROUP BY 1 ORDER BY 1 DESC LIMIT 1`,
    { workspaceId: ctx.workspaceId, memberId: ctx.actor.memberId },
  );
  return last && !last.is_told ? last : null;
}

/** Brings one back as it was; false: it was changed again, or cannot go back. */
type Restore = (ctx: Ctx, id: number, changes: Recorded['changes']) => Promise<boolean>;

/**
 * Undoes a bulk change of the acting member within a minute, except in conversations, contacts and tickets whose values
 * were changed since then. The activity trail says what it had changed. Throws 404 and 409.
 */
export async function undoMany(
  ctx: Ctx,
  id: number,
  of: BulkSubject = 'conversations',
  restoreOne: Restore = restore,
): Promise<{ restored: number; kept: number }> {
  const { db } = ctx.runtime;
  const ofBulk = `workspace_id = $workspaceId AND data->>'bulk' = $id::text AND actor_member_id = $memberId`;
  const bind = { workspaceId: ctx.workspaceId, id: String(id), memberId: ctx.actor.memberId, subjects: subjects[of] };
  // SQL: the first batch is found by its transaction, and late is a question to the clock of the database.
  const first = await db.row<Recorded>(
    `SELECT subject_id, changes, created_at < clock_timestamp() - interval '${undoSeconds} seconds' AS is_late
     FROM events WHERE transaction_id = $id::bigint AND subject_type = ANY($subjects::text[]) AND ${ofBulk} LIMIT 1`,
    bind,
  );
  if (!first) throw notFound();
  if (first.is_late) throw conflict(reason('undoOver', { seconds: undoSeconds }));
  // SQL: the later batches, by the index that the news are read by.
  const events = await db.rows<Recorded>(
    `SELECT subject_id, changes, false AS is_late FROM events
     WHERE transaction_id >= $id::bigint AND subject_type = ANY($subjects::text[]) AND ${ofBulk}`,
    bind,
  );
  const changes = new Map<number, Recorded['changes']>();
  for (const event of events) changes.set(event.subject_id, { ...changes.get(event.subject_id), ...event.changes });
  let restored = 0;
  for (const batch of batchesOf([...changes.keys()]))
    await db.transaction(async () => {
      for (const subject of batch)
        try {
          if (await restoreOne(ctx, subject, changes.get(subject) ?? {})) restored += 1;
        } catch (error) {
          // What refuses it stays as it is.
          refusalOf(error);
        }
    });
  return { restored, kept: changes.size - restored };
}

/** Brings one conversation back. */
async function restore(ctx: Ctx, conversationId: number, changes: Recorded['changes']): Promise<boolean> {
  const current = await lockConversation(ctx, { conversationId });
  const isUntouched = Object.entries(changes).every(([name, { to }]) => sameMembers(plain(current, name), to));
  // Who has said so themselves meanwhile stays out.
  const saidSo = changes['marketing_opt_out'] !== undefined && isOwnDecision(current.marketing_opt_out_source);
  if (!isUntouched || saidSo) return false;
  const values = Object.entries(changes).map(([name, { from }]) => [name, from] as const);
  // A time without a snooze is no state of its own: the status takes it away.
  const back = Object.fromEntries(values.filter(([name, from]) => name !== 'snoozed_until' || from !== null));
  const until = back['snoozed_until'];
  const patch = { ...back, ...(typeof until === 'string' ? { snoozed_until: new Date(until) } : {}) };
  return applyPatch(ctx, current, patch as StatePatch);
}

/** Returns a value of a conversation as its trail has it. */
function plain(current: ConversationView, name: string): unknown {
  const columns: Readonly<Record<string, keyof ConversationView>> = {
    assigned_member: 'assigned_member_id',
    assigned_team_inbox: 'assigned_team_inbox_id',
  };
  const value = current[columns[name] ?? (name as keyof ConversationView)];
  return value instanceof Date ? value.toISOString() : value;
}
