import { randomInt } from 'node:crypto';
import type { PageRequest } from './page';

/** A row of a form: its key stays with it wherever it is moved, so that a button means the row that it stood in. */
export interface Keyed {
  readonly key: string;
}

/** Gives rows of a stored object their keys. */
export const keyed = <T extends object>(rows: readonly T[]): (T & Keyed)[] =>
  rows.map((row, place) => ({ ...row, key: String(place) }));

/** Returns a row that is added, under a key that none has had before. */
export const newRow = <T extends object>(row: T): T & Keyed => ({
  ...row,
  key: String(randomInt(1_000, 1_000_000_000)),
});

/** Returns the keys of the rows of a form, whose fields are named `<kind>-<key>-…`, in its order. */
export function keysIn({ entries }: PageRequest, kind: string): readonly string[] {
  const field = new RegExp(`^${kind}-(\\d{1,9})-`);
  return [...new Set(entries.flatMap(([name]) => field.exec(name)?.[1] ?? []))];
}

/** Returns the rows without one. */
export const withoutRow = <T extends Keyed>(rows: readonly T[], key: string): readonly T[] =>
  rows.filter((row) => row.key !== key);
