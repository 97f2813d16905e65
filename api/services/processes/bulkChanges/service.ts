import type { Ctx } from '../../../core/context';
import { sameMembers } from '../../../core/db/changes';
import { isPassing } from '../../../core/db/database';
import { AppError, conflict, invalidField, noSuchPk, notFound } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import { retryWrite } from '../../../core/queue/retry';
import { contactIdsOf } from '../../resources/contacts/handles';
import { listConversations } from '../../resources/conversations/lists';
import type { ConversationView } from '../../resources/conversations/serializer';
import { applyPatch, lockConversation, type StatePatch } from '../../resources/conversations/service';
import { markUnread } from '../../resources/conversations/unreadMarks';
import { patchedTags } from '../macroRuns/tags';
import { maxConversations, type bulkChangeInput, type whichInput } from './schema';

type Input = InputOf<typeof bulkChangeInput>;
type Which = InputOf<typeof whichInput>;

interface Outcomes {
  readonly changed: number;
  readonly unchanged: number;
  /** Conversations that did not take the change, were gone by then, or for which the database was too busy. */
  readonly refused: number;
}

/** What a bulk change did. */
interface BulkOutcome extends Outcomes {
  /** Names it for an undo; null: it changed nothing. */
  readonly id: number | null;
  readonly matched: number;
}

/** Conversations of one transaction: others wait for it no longer than for any request. */
const batchSize = 50;
/** Within this time a bulk change can be taken back. */
export const undoSeconds = 60;

/** Changes many conversations, each by the rules of a single one. Throws 400 where none takes the change. */
export async function changeMany(ctx: Ctx, { receiver_ids: handles, filters, change }: Input): Promise<BulkOutcome> {
  if (Object.keys(change).length === 0) throw invalidField('change', 'Nothing is to be changed.');
  const { ids, gone } = await idsOf(ctx, { handles, filters });
  const { add_tags: add, remove_tags: remove, ...state } = change;
  let mark: number | null = null;
  let refusal: AppError | undefined;
  const counts = { matched: ids.length + gone, changed: 0, unchanged: 0, refused: gone };
  const batches = batchesOf(ids);
  for (const [index, batch] of batches.entries()) {
    const apply = (): Promise<Outcomes> =>
      ctx.runtime.db.transaction(async () => {
        // Of the first that changes something: there an undo finds it.
        if (counts.changed === 0) mark = await transactionId(ctx);
        const outcomes = { changed: 0, unchanged: 0, refused: 0 };
        for (const id of batch)
          try {
            const conversation = await lockConversation(ctx, { conversationId: id });
            const tags = tagsAfter(conversation.tags, add, remove);
            const patch = { ...state, ...(tags === undefined ? {} : { tags }) };
            const isChanged = await applyPatch(ctx, conversation, patch, ['conversations'], { bulk: mark });
            outcomes[isChanged ? 'changed' : 'unchanged'] += 1;
          } catch (error) {
            refusal = refusalOf(error);
            outcomes.refused += 1;
          }
        return outcomes;
      });
    try {
      const done = await (counts.changed === 0 ? apply() : retryWrite(apply));
      for (const name of ['changed', 'unchanged', 'refused'] as const) counts[name] += done[name];
    } catch (error) {
      if (counts.changed === 0 || !isPassing(error)) throw error;
      // Only the answer has the id by which what is changed already can be taken back.
      counts.refused += batches.slice(index).flat().length;
      break;
    }
    // What the first ones refuse is wrong with the change.
    if (refusal && counts.changed + counts.unchanged === 0) throw refusal;
  }
  return { id: counts.changed === 0 ? null : mark, ...counts };
}

/** Returns the refusal that an error is; one of the database ends the transaction, and is thrown on. */
function refusalOf(error: unknown): AppError {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  return error;
}

function tagsAfter(current: unknown, add?: readonly string[], remove?: readonly string[]): string[] | undefined {
  if (!add && !remove) return undefined;
  const added = patchedTags(current, { type: 'add_tags', params: { tags: [...(add ?? [])] } }).patch.tags;
  return patchedTags(added, { type: 'remove_tags', params: { tags: [...(remove ?? [])] } }).patch.tags;
}

/** Marks a selection, or all that match, as unread for the acting member. Returns how many have the mark now. */
export async function markManyUnread(ctx: Ctx, { receiver_ids: handles, filters }: Which): Promise<number> {
  return markUnread(ctx, (await idsOf(ctx, { handles, filters })).ids);
}

/** Returns what is selected, or matches. Throws the 400 of a request that says both or nothing. */
async function idsOf(
  ctx: Ctx,
  { handles, filters }: { handles: Which['receiver_ids']; filters: Which['filters'] },
): Promise<{ ids: number[]; gone: number }> {
  if ((handles === undefined) === (filters === undefined))
    throw invalidField('receiver_ids', 'Send either receiver_ids or filters.');
  return handles ? namedIds(ctx, handles) : { ids: await matching(ctx, filters), gone: 0 };
}

/**
 * Returns the conversations of a selection, and how many of it are gone: erased, maybe, since it was made. Throws the
 * 400 of one of which nobody is there.
 */
async function namedIds(ctx: Ctx, handles: readonly string[]): Promise<{ ids: number[]; gone: number }> {
  const known = await contactIdsOf(ctx, handles);
  const [first] = handles;
  if (known.size === 0 && first !== undefined) throw invalidField('receiver_ids', noSuchPk(first));
  // A conversation has the id of its contact.
  return { ids: [...new Set(known.values())], gone: new Set(handles).size - known.size };
}

async function matching(ctx: Ctx, filters: Input['filters']): Promise<number[]> {
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...filters, page_size: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = await listConversations({ ...ctx, countsUpTo: maxConversations + 1 }, query);
    if ((page.count ?? 0) > maxConversations)
      throw invalidField('filters', `More than ${maxConversations} conversations match. Narrow the filters.`);
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next?.['cursor'];
  } while (cursor !== undefined);
  return ids;
}

/** In the order in which rows are locked everywhere. */
function batchesOf(ids: readonly number[]): number[][] {
  const sorted = [...new Set(ids)].sort((left, right) => left - right);
  const count = Math.ceil(sorted.length / batchSize);
  return Array.from({ length: count }, (_, index) => sorted.slice(index * batchSize, (index + 1) * batchSize));
}

/** Returns the number of the transaction; those after it have greater ones. */
async function transactionId(ctx: Ctx): Promise<number> {
  // SQL: no table has it.
  const row = await ctx.runtime.db.row<{ id: number }>('SELECT pg_current_xact_id()::text::bigint AS id');
  if (!row) throw new Error('a transaction has no number');
  return row.id;
}

interface Recorded {
  readonly subject_id: number;
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  readonly is_late: boolean;
}

/**
 * Returns the acting member's last bulk change that can still be taken back: its id, how many conversations it has
 * changed, and for how many seconds; null: there is none.
 */
export async function lastBulkChange(ctx: Ctx): Promise<{ id: number; changed: number; seconds: number } | null> {
  // SQL: what is late is a question to the clock of the database.
  return ctx.runtime.db.row(
    `SELECT (data->>'bulk')::bigint AS id, count(DISTINCT subject_id)::int AS changed,
       ${undoSeconds} - ceil(extract(epoch FROM clock_timestamp() - min(created_at)))::int AS seconds
     FROM events
     WHERE workspace_id = $workspaceId AND created_at > clock_timestamp() - interval '${undoSeconds} seconds'
       AND actor_member_id = $memberId AND subject_type IN ('conversation', 'contact') AND data ? 'bulk'
     GROUP BY 1 ORDER BY 1 DESC LIMIT 1`,
    { workspaceId: ctx.workspaceId, memberId: ctx.actor.memberId },
  );
}

/**
 * Undoes a bulk change of the acting member within a minute, except in conversations whose values were changed since
 * then. The activity trail says what it had changed. Throws 404 and 409.
 */
export async function undoMany(ctx: Ctx, id: number): Promise<{ restored: number; kept: number }> {
  const { db } = ctx.runtime;
  const ofBulk = `workspace_id = $workspaceId AND data->>'bulk' = $id::text AND actor_member_id = $memberId`;
  const bind = { workspaceId: ctx.workspaceId, id: String(id), memberId: ctx.actor.memberId };
  // SQL: the first batch is found by its transaction, and late is a question to the clock of the database.
  const first = await db.row<Recorded>(
    `SELECT subject_id, changes, created_at < clock_timestamp() - interval '${undoSeconds} seconds' AS is_late
     FROM events WHERE transaction_id = $id::bigint AND ${ofBulk} LIMIT 1`,
    bind,
  );
  if (!first) throw notFound();
  if (first.is_late) throw conflict(`This was done more than ${undoSeconds} seconds ago.`);
  // SQL: the later batches, by the index that the news are read by.
  const events = await db.rows<Recorded>(
    `SELECT subject_id, changes, false AS is_late FROM events
     WHERE transaction_id >= $id::bigint AND subject_type IN ('conversation', 'contact') AND ${ofBulk}`,
    bind,
  );
  const changes = new Map<number, Recorded['changes']>();
  for (const event of events) changes.set(event.subject_id, { ...changes.get(event.subject_id), ...event.changes });
  let restored = 0;
  for (const batch of batchesOf([...changes.keys()]))
    await db.transaction(async () => {
      for (const subject of batch) if (await restore(ctx, subject, changes.get(subject) ?? {})) restored += 1;
    });
  return { restored, kept: changes.size - restored };
}

/** Brings one conversation back; false: it was changed again, or cannot go back. */
async function restore(ctx: Ctx, conversationId: number, changes: Recorded['changes']): Promise<boolean> {
  try {
    const current = await lockConversation(ctx, { conversationId });
    const isUntouched = Object.entries(changes).every(([name, { to }]) => sameMembers(plain(current, name), to));
    if (!isUntouched) return false;
    const values = Object.entries(changes).map(([name, { from }]) => [name, from] as const);
    // A time without a snooze is no state of its own: the status takes it away.
    const back = Object.fromEntries(values.filter(([name, from]) => name !== 'snoozed_until' || from !== null));
    const until = back['snoozed_until'];
    const patch = { ...back, ...(typeof until === 'string' ? { snoozed_until: new Date(until) } : {}) };
    return await applyPatch(ctx, current, patch as StatePatch);
  } catch (error) {
    refusalOf(error);
    return false;
  }
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
