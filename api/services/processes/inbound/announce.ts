import { AsyncLocalStorage } from 'node:async_hooks';
import type { Runtime } from '../../../core/runtime';

/** Channel on which workers hear of new events. */
export const inboxChannel = 'msgdesk_inbox';

/** Workers empty the inbox after each notification, so more of them only cost. */
const everyMs = 20;

/** Outside of any transaction: a commit that carries a notification waits for all others that do. */
const outsideTransactions = AsyncLocalStorage.snapshot();

interface Announcer {
  lastAt: number;
  planned: boolean;
}

// Per runtime, because one process may hold several databases.
const announcers = new WeakMap<Runtime, Announcer>();

/**
 * Tells the workers that events were stored: at once, but at most once per 20 ms and process. Does not wait and never
 * fails, because workers also look by themselves.
 */
export function announceEvents(runtime: Runtime): void {
  const announcer = announcers.get(runtime) ?? { lastAt: 0, planned: false };
  announcers.set(runtime, announcer);
  if (announcer.planned) return;
  announcer.planned = true;
  const waitMs = Math.max(0, announcer.lastAt + everyMs - Date.now());
  const timer = outsideTransactions(() =>
    setTimeout(() => {
      announcer.planned = false;
      announcer.lastAt = Date.now();
      // There is nothing to keep: the commit of the notification need not wait for the disk.
      runtime.db
        .rows(`SELECT set_config('synchronous_commit', 'off', true), pg_notify('${inboxChannel}', '')`)
        .catch(() => undefined);
    }, waitMs),
  );
  timer.unref();
}
