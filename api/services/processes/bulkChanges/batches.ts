import type { Ctx } from '../../../core/context';
import { isPassing } from '../../../core/db/database';
import { AppError, invalidField, noSuchPk } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import { retryWrite } from '../../../core/queue/retry';
import { contactIdsOf } from '../../resources/contacts/handles';
import { reason } from '../../resources/reasons';

/** A request changes no more: it takes a few seconds, and what it changes is locked batch by batch. */
export const maxChanged = 1_000;

interface Outcomes {
  readonly changed: number;
  readonly unchanged: number;
  /** Those that did not take the change, were gone by then, or for which the database was too busy. */
  readonly refused: number;
}

/** What a bulk change did. */
export interface BulkOutcome extends Outcomes {
  /** Names it for an undo; null: it changed nothing. */
  readonly id: number | null;
  readonly matched: number;
}

/** What a bulk change is for: their ids, and how many of a selection are gone. */
export interface Selected {
  readonly ids: readonly number[];
  readonly gone: number;
}

/** What is changed in one transaction: others wait for it no longer than for any request. */
const batchSize = 50;

/** Changes one, and returns whether it did; `mark` is noted in the trail (`data.bulk`), where an undo finds it. */
type Apply = (id: number, mark: number | null) => Promise<boolean>;

/** Changes many, each by the rules of a single one. Throws the refusal of a change that none takes. */
export async function changeEach(ctx: Ctx, { ids, gone }: Selected, apply: Apply): Promise<BulkOutcome> {
  let mark: number | null = null;
  let refusal: AppError | undefined;
  const counts = { matched: ids.length + gone, changed: 0, unchanged: 0, refused: gone };
  const batches = batchesOf(ids);
  for (const [index, batch] of batches.entries()) {
    const applyAll = (): Promise<Outcomes> =>
      ctx.runtime.db.transaction(async () => {
        // Of the first that changes something: there an undo finds it.
        if (counts.changed === 0) mark = await transactionId(ctx);
        const outcomes = { changed: 0, unchanged: 0, refused: 0 };
        for (const id of batch)
          try {
            outcomes[(await apply(id, mark)) ? 'changed' : 'unchanged'] += 1;
          } catch (error) {
            refusal = refusalOf(error);
            outcomes.refused += 1;
          }
        return outcomes;
      });
    try {
      const done = await (counts.changed === 0 ? applyAll() : retryWrite(applyAll));
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
export function refusalOf(error: unknown): AppError {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  return error;
}

/** Throws the 400 of a request that names some of them and all that match, or neither. */
export function requireOneWay(field: 'receiver_ids' | 'ticket_ids', named: unknown, filters: unknown): void {
  if ((named === undefined) === (filters === undefined)) throw invalidField(field, `Send either ${field} or filters.`);
}

/** Throws the 400 of filters that more fit than are changed at once. */
export function requireFew(matching: number, what: string): void {
  if (matching > maxChanged) throw invalidField('filters', reason('tooManyMatch', { max: maxChanged, what }));
}

/** Throws the 400 of a change that changes nothing. */
export function requireChange(change: object): void {
  if (Object.keys(change).length === 0) throw invalidField('change', reason('nothing'));
}

/**
 * Returns the contacts of a selection, which are their conversations, too, and how many of it are gone: erased, maybe,
 * since it was made. Throws the 400 of one of which nobody is there.
 */
export async function namedIds(ctx: Ctx, handles: readonly string[]): Promise<Selected> {
  const known = await contactIdsOf(ctx, handles);
  const [first] = handles;
  if (known.size === 0 && first !== undefined) throw invalidField('receiver_ids', noSuchPk(first));
  // A conversation has the id of its contact.
  return { ids: [...new Set(known.values())], gone: new Set(handles).size - known.size };
}

interface Paging {
  readonly page_size: number;
  readonly cursor?: string;
}

/** Returns all that a list finds, which is called `what`. Throws the 400 of too many. */
export async function matchingIds(
  ctx: Ctx,
  what: string,
  read: (ctx: Ctx, paging: Paging) => Promise<Page<{ readonly id: number }>>,
): Promise<Selected> {
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(
      { ...ctx, countsUpTo: maxChanged + 1 },
      { page_size: 200, ...(cursor === undefined ? {} : { cursor }) },
    );
    requireFew(page.count ?? 0, what);
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next?.['cursor'];
  } while (cursor !== undefined);
  return { ids, gone: 0 };
}

/** In the order in which rows are locked everywhere. */
export function batchesOf(ids: readonly number[]): number[][] {
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
