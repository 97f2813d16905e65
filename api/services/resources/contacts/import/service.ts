import { setTimeout } from 'node:timers/promises';
import { isBound } from '../../../../core/autonomy';
import type { Ctx } from '../../../../core/context';
import { isPassing, isRetryable, isUniqueViolation, ofWorkspace } from '../../../../core/db/database';
import { AppError } from '../../../../core/http/errors';
import { spellingsOf } from '../../../../core/phones';
import { lockIdentities } from '../locks';
import { readDefinitions, type FieldDefinition } from '../../customFields/values';
import { mergeRows, patchOf, updateOf, withoutOptIn, type Report, type StoredContact, type Target } from './merge';
import { keyOf } from './marks';
import {
  keysOf,
  listErrors,
  readRow,
  type ContactPatch,
  type ReadRow,
  type RowError,
  type RowFault,
  type SourceRow,
} from './rows';
import { inTurn } from './importTurns';
import { byValues, insertContacts, settleIdentities, updateContacts } from './write';

/**
 * Rows per transaction: large enough for set-based statements, small enough to hold no row for long and few of the
 * server's locks.
 */
export const chunkRows = 500;
/** Keys of a chunk: other requests of this process wait while they are read and compared. */
const chunkKeys = 20_000;
/** Two imports of the same customers, or an import beside webhooks, may have to look again. */
const maxRounds = 6;
/** A chunk that takes too long is halved down to this many rows. */
const smallestPart = 50;

/** Most refused rows and dropped values that an answer lists, and most names of attributes. */
const maxErrors = 1_000;
const maxKeptNames = 100;

/** What an import did: `created + updated + failed == received`. */
export interface ImportResult {
  received: number;
  created: number;
  updated: number;
  failed: number;
  errors: RowError[];
  /** There are more errors than the list holds. */
  errors_truncated?: true;
  /** Columns that are no field of the workspace: their values are in `attributes`. */
  attributes_kept?: string[];
}

interface ImportOptions {
  /** Called after every chunk with the counts so far; it may take the errors out of the list. */
  readonly onProgress?: (result: ImportResult) => void | Promise<void>;
  /** The most errors in the list; refused rows are listed first. */
  readonly maxErrors?: number;
}

/**
 * Upserts contacts with the effect of one row after the other, but in chunks. Each chunk commits by itself, so after a
 * failure in the middle each row is stored wholly or not at all, and importing the same rows again creates nothing.
 */
export async function importContacts(
  ctx: Ctx,
  rows: Iterable<SourceRow> | AsyncIterable<SourceRow>,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const result: ImportResult = { received: 0, created: 0, updated: 0, failed: 0, errors: [] };
  let chunk: SourceRow[] = [];
  let keys = 0;
  const flush = async (): Promise<void> => {
    await importChunk(ctx, chunk, result, options.maxErrors ?? maxErrors);
    chunk = [];
    keys = 0;
    await options.onProgress?.(result);
  };
  for await (const row of rows) {
    chunk.push(row);
    keys += keysOf(row.entries);
    if (chunk.length >= chunkRows || keys >= chunkKeys) await flush();
  }
  if (chunk.length > 0) await flush();
  return result;
}

/** Returns the workspace's fields that a contact's row can fill: a contact and its conversation share their values. */
export async function importableFields(ctx: Ctx): Promise<Map<string, FieldDefinition>> {
  const definitions = await readDefinitions(ctx);
  return new Map(
    [...definitions].filter(
      ([, { applies_to: subjects }]) => subjects.includes('contacts') || subjects.includes('conversations'),
    ),
  );
}

async function importChunk(
  ctx: Ctx,
  rows: readonly SourceRow[],
  result: ImportResult,
  maxListed: number,
): Promise<void> {
  let open = rows;
  for (let round = 1; open.length > 0; round += 1) {
    const room = Math.max(0, maxListed - result.errors.length);
    try {
      const done = await inTurn(ctx, () => ctx.runtime.db.transaction(() => applyChunk(ctx, open, room)));
      const again = new Set(done.again);
      const settled = open.filter(({ number }) => !again.has(number));
      result.received += settled.length;
      result.created += done.created;
      result.failed += done.failed;
      result.updated += settled.length - done.created - done.failed;
      const errors = [...result.errors, ...done.errors.filter(({ row }) => !again.has(row))];
      result.errors = listErrors(errors, maxListed);
      if (done.truncated || errors.length > maxListed) result.errors_truncated = true;
      for (const name of done.otherKeys) keepName(result, name);
      open = open.filter(({ number }) => again.has(number));
      if (round >= maxRounds && open.length > 0)
        throw new Error('contacts kept appearing and vanishing under the import');
    } catch (error) {
      if (round >= maxRounds) throw error;
      if (isUniqueViolation(error) || isRetryable(error)) {
        // Another writer took an identity between our look and our write, or there was a deadlock.
      } else if (isPassing(error)) {
        await setTimeout(Math.min(4_000, 250 * 2 ** round) * (0.5 + Math.random()));
        // What takes too long at once may fit in parts.
        if (open.length > smallestPart && !(error instanceof AppError)) {
          const half = Math.ceil(open.length / 2);
          await importChunk(ctx, open.slice(0, half), result, maxListed);
          await importChunk(ctx, open.slice(half), result, maxListed);
          return;
        }
      } else throw error;
    }
  }
}

function keepName(result: ImportResult, name: string): void {
  const names = (result.attributes_kept ??= []);
  if (names.length < maxKeptNames && !names.includes(name)) names.push(name);
}

interface Applied {
  readonly created: number;
  readonly failed: number;
  readonly errors: readonly RowError[];
  /** Some errors are not in the list. */
  readonly truncated: boolean;
  /** Keys that were kept as attributes. */
  readonly otherKeys: ReadonlySet<string>;
  /** Rows whose contact another transaction has created meanwhile: they are looked at again. */
  readonly again: readonly number[];
}

/** What rows say of those whom they mean. */
interface Decided {
  readonly rows: readonly ReadRow[];
  readonly said: ReadonlyMap<Target, ContactPatch>;
  /** Also filled by what is decided later. */
  readonly errors: RowError[];
  readonly truncated: boolean;
  readonly otherKeys: ReadonlySet<string>;
}

/** Reads rows, and decides what each says of its contact; these are locked where they will be written. */
export async function decideChunk(
  ctx: Ctx,
  sources: readonly SourceRow[],
  room: number,
  lock: boolean,
): Promise<Decided> {
  const definitions = await importableFields(ctx);
  const errors: RowFault[] = [];
  const rows: ReadRow[] = [];
  const otherKeys = new Set<string>();
  let truncated = false;
  for (const source of sources) {
    const read = readRow(source, definitions, room - errors.length);
    errors.push(...read.errors);
    truncated ||= read.truncated;
    if (read.row) rows.push(read.row);
    for (const key of read.row?.otherKeys ?? []) if (otherKeys.size < maxKeptNames) otherKeys.add(key);
  }

  const report: Report = (error) => {
    if (errors.length < room) errors.push(error());
    else truncated = true;
  };
  const merged = mergeRows(rows, await findStored(ctx, rows, lock));
  errors.push(...merged.errors);
  const said = new Map(
    merged.targets.map((target) => {
      const patch = patchOf(target, report);
      return [target, withoutOptIn(target, patch, errors, isBound(ctx))];
    }),
  );
  const { say = String } = ctx;
  const told = errors.map((error) => ({ ...error, message: say(error.message) }));
  return { rows, said, errors: told, truncated, otherKeys };
}

async function applyChunk(ctx: Ctx, sources: readonly SourceRow[], room: number): Promise<Applied> {
  const { rows, said, errors, truncated, otherKeys } = await decideChunk(ctx, sources, room, true);
  const fresh = [...said].filter(([{ stored }]) => stored === null);
  const updates = [...said].map(([target, patch]) => updateOf(target, patch)).filter((update) => update !== null);
  const inserted = await insertContacts(ctx, fresh);
  await updateContacts(ctx, updates);
  const gained = [...said.keys()].filter(
    ({ stored: was, phone, bsuid }) => was && (phone !== was.phone || bsuid !== was.bsuid),
  );
  await settleIdentities(ctx, gained);

  const lost = fresh.filter(([target]) => !inserted.has(keyOf(target)));
  errors.sort((left, right) => left.row - right.row);
  return {
    created: fresh.length - lost.length,
    failed: sources.length - rows.length,
    errors,
    truncated,
    otherKeys,
    again: lost.flatMap(([target]) => target.rows),
  };
}

/**
 * Returns the contacts that the rows may mean. `lock` takes them in the order of their ids: a message of one of these
 * people that comes in now waits.
 */
async function findStored(ctx: Ctx, rows: readonly ReadRow[], lock: boolean): Promise<StoredContact[]> {
  const phones = rows.flatMap(({ phone }) => (phone === null ? [] : spellingsOf(phone)));
  const bsuids = rows.map(({ bsuid }) => bsuid).filter((value) => value !== null);
  if (lock) await lockIdentities(ctx, [...phones, ...bsuids]);
  // One branch per index: an OR over several makes the planner read the workspace.
  return ctx.runtime.db.rows<StoredContact>(
    `SELECT id, phone, bsuid, name, email, company, notes, tags, custom_fields, attributes,
       marketing_opt_out, marketing_opt_out_source,
       ARRAY(
         SELECT value::text
         FROM contact_aliases a
         WHERE a.workspace_id = $workspaceId AND a.contact_id = c.id AND a.kind = 'bsuid') AS former_bsuids,
       ARRAY(
         SELECT value::text
         FROM contact_aliases a
         WHERE a.workspace_id = $workspaceId AND a.contact_id = c.id AND a.kind = 'phone'
           AND a.valid_until IS NULL) AS other_phones
     FROM contacts c
     WHERE ${ofWorkspace('workspace_id')} AND id = ANY(ARRAY(
       SELECT id FROM contacts WHERE phone = ANY($phones::text[]) AND ${ofWorkspace('workspace_id')}
       UNION SELECT id FROM contacts WHERE bsuid = ANY($bsuids::text[]) AND ${ofWorkspace('workspace_id')}
       UNION SELECT contact_id FROM contact_aliases
         WHERE workspace_id = $workspaceId AND kind = 'bsuid' AND value = ANY($bsuids::text[])
       UNION SELECT contact_id FROM contact_aliases
         WHERE workspace_id = $workspaceId AND kind = 'phone' AND valid_until IS NULL AND value = ANY($phones::text[])))
     ORDER BY id
     ${lock ? 'FOR UPDATE' : ''}`,
    { workspaceId: ctx.workspaceId, phones, bsuids },
    byValues,
  );
}
