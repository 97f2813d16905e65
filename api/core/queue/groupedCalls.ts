import { AsyncLocalStorage } from 'node:async_hooks';
import { isDatabaseAway } from '../db/database';

interface GroupOptions {
  /** The largest number of items in one write. */
  readonly max: number;
  /** How long the first item waits for others, in milliseconds; 0 by default. */
  readonly lingerMs?: number;
}

/** Runs writes outside of any request: an item must not be written in another caller's transaction. */
const outsideRequests = AsyncLocalStorage.snapshot();

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Returns a function that writes an item together with others, and resolves once it is written. Items that arrive
 * during a write are in the next one. After a failed write each item is tried alone, so `write` must be all or nothing.
 */
export function grouped<Item>(
  write: (items: readonly Item[]) => Promise<void>,
  { max, lingerMs = 0 }: GroupOptions,
): (item: Item) => Promise<void> {
  let waiting: Waiting<Item>[] = [];
  let writing = false;
  let full: (() => void) | null = null;

  function company(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, lingerMs);
      full = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function writeWaiting(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      // Without a wait those of the same moment still come along.
      await (lingerMs > 0 && waiting.length < max ? company() : Promise.resolve());
      full = null;
      const batch = waiting.slice(0, max);
      waiting = waiting.slice(max);
      try {
        await write(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        if (batch.length === 1 || isDatabaseAway(error)) for (const { reject } of batch) reject(error);
        else await Promise.all(batch.map(({ item, resolve, reject }) => write([item]).then(resolve, reject)));
      }
    }
    writing = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!writing) void outsideRequests(writeWaiting);
      else if (waiting.length >= max) full?.();
    });
}
