import { isDeepStrictEqual } from 'node:util';
import type { FieldDefinition } from '../../resources/customFields/values';
import { readRow, type SourceRow } from './rows';

type Definitions = ReadonlyMap<string, FieldDefinition>;
type Read = ReturnType<typeof readRow>;

/** Reads the rows of an import, most of them before it is their turn to be written. */
export interface Reader {
  /** Reads a row by the definitions of the chunk before, so that nothing is left to do later if they still hold. */
  lookAt(source: SourceRow): void;
  /** Says by which definitions rows are read from now on: those that the transaction of their chunk holds. */
  readBy(definitions: Definitions): void;
  /** Returns a row as those definitions read it, with at most `maxErrors` errors. */
  read(source: SourceRow, maxErrors: number): Read;
}

/** Makes a reader; `mostErrors` is what a row looked at ahead may have of errors. */
export function createReader(mostErrors: number): Reader {
  let current: Definitions | null = null;
  const ahead = new WeakMap<SourceRow, { readonly definitions: Definitions; readonly read: Read }>();
  return {
    lookAt(source) {
      if (current) ahead.set(source, { definitions: current, read: readRow(source, current, mostErrors) });
    },
    readBy(definitions) {
      if (!isDeepStrictEqual(current, definitions)) current = definitions;
    },
    read(source, maxErrors) {
      const known = ahead.get(source);
      return known && known.definitions === current && known.read.errors.length <= maxErrors
        ? known.read
        : readRow(source, current ?? new Map(), maxErrors);
    },
  };
}
