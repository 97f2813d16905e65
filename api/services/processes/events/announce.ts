import { AsyncLocalStorage } from 'node:async_hooks';
import { kept, type Runtime } from '../../../core/runtime';

/** The PostgreSQL channel that tells workers of new events; the payload is their urgency. */
export const inboxChannel = 'msgdesk_inbox';

/** The urgency of new events: messages of customers and news of the platform are awaited, statuses are not. */
export type Announced = 'statuses' | 'others';

/**
 * Each notification makes a worker look, so more of them only cost. The first one after a pause goes at once; those
 * that follow are gathered for so long. Statuses come in three for each message and are cheap in batches.
 */
const everyMs: Readonly<Record<Announced, number>> = { others: 20, statuses: 100 };

/** Outside of any transaction: a commit that carries a notification waits for all others that do. */
const outsideTransactions = AsyncLocalStorage.snapshot();

interface Announcer {
  lastAt: number;
  planned: boolean;
}

const announcers = kept((): Readonly<Record<Announced, Announcer>> => ({
  others: { lastAt: -Infinity, planned: false },
  statuses: { lastAt: -Infinity, planned: false },
}));

/**
 * Tells the workers that events of some kinds were stored: at once, but at most once per 20 ms and process, of statuses
 * alone once per 100 ms. Does not wait and never fails, because workers also look by themselves.
 */
export function announceEvents(runtime: Runtime, kinds: readonly string[]): void {
  const what: Announced = kinds.every((kind) => kind === 'status') ? 'statuses' : 'others';
  const announcer = announcers(runtime)[what];
  if (announcer.planned) return;
  announcer.planned = true;
  const waitMs = Math.max(0, announcer.lastAt + everyMs[what] - performance.now());
  const timer = outsideTransactions(() =>
    setTimeout(() => {
      announcer.planned = false;
      announcer.lastAt = performance.now();
      // A notification stores nothing, so its commit need not wait for the disk.
      runtime.db
        .rows(`SELECT set_config('synchronous_commit', 'off', true), pg_notify('${inboxChannel}', $what)`, { what })
        .catch(() => undefined);
    }, waitMs),
  );
  timer.unref();
}
