import { AsyncLocalStorage } from 'node:async_hooks';
import { isDatabaseAway } from './db';

interface GroupOptions {
  /** Most items of one write. */
  readonly most: number;
  /** How long the first item waits for company; nothing unless told. */
  readonly lingerMs?: number;
}

/** Outside of any request: one caller's item must not end up in the transaction of another. */
const outsideRequests = AsyncLocalStorage.snapshot();

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Many small writes as few: gives a function that resolves once its item is written. Items that come while a write is
 * under way go together with the next one. An item that cannot be written fails alone, so `write` must do all or
 * nothing.
 */
export function grouped<Item>(
  write: (items: readonly Item[]) => Promise<void>,
  { most, lingerMs = 0 }: GroupOptions,
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
      if (lingerMs > 0 && waiting.length < most) await company();
      full = null;
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
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
      else if (waiting.length >= most) full?.();
    });
}
