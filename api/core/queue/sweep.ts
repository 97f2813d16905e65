import type { Intent } from '../../../workflows/starts';
import type { Runtime } from '../runtime';

/**
 * Asked between two statements of a sweep: whether it has to end, because its time is over or its process stops. The
 * next run does the rest.
 */
export type IsOver = () => boolean;

/** Never ends a sweep before all is done. */
export const never: IsOver = () => false;

/** Rows of one statement of a sweep: each ends well within the time that a statement may take. */
export const maxSweptRows = 2_000;

/** How long an activity that works in rounds begins new work, so that one that is cut off loses little. */
export const roundMs = 8_000;

/**
 * Repeats a statement that changes at most `maxSweptRows` rows, and returns how many, until nothing is left for it or
 * the sweep has to end; returns how many it changed in all.
 */
export async function sweepAll(isOver: IsOver, change: () => Promise<number>): Promise<number> {
  for (let total = 0; ;) {
    const changed = await change();
    total += changed;
    if (changed < maxSweptRows || isOver()) return total;
  }
}

/**
 * Takes steps one after the other, each with a fault of its own: one that fails keeps none of the later ones from being
 * taken. Returns the sum of what they return; throws the first failure at the end.
 */
export async function runApart(steps: readonly (() => Promise<number>)[]): Promise<number> {
  let total = 0;
  const failures: unknown[] = [];
  for (const step of steps)
    await step().then(
      (count) => (total += count),
      (error: unknown) => failures.push(error),
    );
  if (failures.length > 0) throw failures[0];
  return total;
}

/** A row, of any workspace, that has a workflow. */
interface Owned {
  readonly id: number;
  readonly workspace_id: number;
}

/**
 * Gives rows their intents, page by page in the order of their ids, until none is left or the sweep has to end; returns
 * how many. `page` reads at most `maxSweptRows` rows whose ids come after the given one.
 */
export async function restartAll<Row extends Owned>(
  runtime: Runtime,
  isOver: IsOver,
  page: (after: number) => Promise<readonly Row[]>,
  intentOf: (row: Row) => Intent,
): Promise<number> {
  let after = 0;
  return sweepAll(isOver, async () => {
    const rows = await page(after);
    await addIntents(runtime, rows, intentOf);
    after = rows.at(-1)?.id ?? after;
    return rows.length;
  });
}

/** Inserts the intents of rows, one statement for those of a workspace. */
export async function addIntents<Row extends Omit<Owned, 'id'>>(
  runtime: Runtime,
  rows: readonly Row[],
  intentOf: (row: Row) => Intent,
): Promise<void> {
  for (const owner of new Set(rows.map((row) => row.workspace_id)))
    await runtime.outbox.addMany(owner, rows.filter((row) => row.workspace_id === owner).map(intentOf));
}
