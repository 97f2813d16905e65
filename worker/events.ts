import pg from 'pg';
import { reasonOf } from '../api/core/http/faults';
import { backoffAfter } from '../api/core/queue/retry';
import { batchRows } from '../api/core/queue/parallel';
import type { Runtime } from '../api/core/runtime';
import { inboxChannel, type Announced } from '../api/services/processes/events/announce';
import { drainInbox } from '../api/services/processes/events/service';
import { syncRequested } from '../api/services/processes/upstreamSync/service';
import { startLoop, type Loop, type Step } from './loop';

/**
 * The most statuses in a batch of statuses alone: a few statements process all of them, long before their lease ends.
 */
const statusBatch = 500;
/** The other drainers look for events by themselves so many times less often than the first one. */
const unaskedTurns = 10;

/** Beyond these few, PostgreSQL has more to do for each batch than it saves by another one at the same time. */
const drainers = 4;

const readStep: Step = async (runtime) => (await syncRequested(runtime)) > 0;

/** What `startInbox` does, as one drainer that takes everything. */
export const inboxSteps: readonly Step[] = [
  async (runtime) => (await drainInbox(runtime, batchRows, { statuses: statusBatch })).taken > 0,
  readStep,
];

/**
 * Processes stored upstream events with several drainers. The first one takes no statuses, so that customers' messages
 * never wait for the end of a batch of them. A notification wakes the first and the second, a notification of statuses
 * alone only the second; a drainer that finds a full batch wakes the next one. So few events are read by few queries,
 * and many by all drainers.
 */
export function startInbox(runtime: Runtime): Loop {
  const { looks } = runtime.process.timing;
  const loops: Loop[] = Array.from({ length: drainers }, (_unused, index) =>
    startLoop({
      name: `inbox drainer ${index + 1}`,
      logger: runtime.logger,
      // In case a notification is lost: the first drainer looks by itself, and wakes the others when much waits.
      idleMs: index === 0 ? looks.inboxMs : unaskedTurns * looks.inboxMs,
      step: async () => {
        const { more } = await drainInbox(runtime, batchRows, {
          statuses: index === 0 ? 0 : statusBatch,
          onFull: () => loops[index + 1]?.wake(),
        });
        return more;
      },
    }),
  );
  // Some events only say that something changed: the account is read again soon, once for several events.
  const reader = startLoop({
    name: 'requested syncs',
    logger: runtime.logger,
    idleMs: looks.syncMs,
    step: () => readStep(runtime),
  });
  const wake = (): void => loops.slice(0, 2).forEach((loop) => loop.wake());
  const statuses: Announced = 'statuses';
  const listener = listen(runtime, (what) => (what === statuses ? loops[1]?.wake() : wake()));
  return {
    wake,
    async stop() {
      await listener.stop();
      await Promise.all([reader, ...loops].map((loop) => loop.stop()));
    },
    state: () => [reader, ...loops].flatMap((loop) => loop.state()),
  };
}

/** Listens on its own connection; while that is lost, polling replaces it. */
function listen(runtime: Runtime, onNotification: (payload?: string) => void): { stop(): Promise<void> } {
  let stopping = false;
  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let connecting: Promise<void> = Promise.resolve();
  let failures = 0;

  function again(): void {
    failures += 1;
    // A second at first: a connection that ends as soon as it listens is not made anew all the time.
    retry = setTimeout(begin, backoffAfter(failures + 2)).unref();
  }

  function lost(which: pg.Client, reason: string): void {
    if (client !== which) return;
    client = null;
    which.removeAllListeners('notification');
    which.end().catch(() => undefined);
    if (stopping) return;
    runtime.logger.debug(
      { event: 'inbox.notifications_lost', reason },
      'inbox notifications are lost; polling until they are back',
    );
    again();
  }

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: runtime.config.databaseDirectUrl,
      application_name: 'msgdesk-inbox',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    client = next;
    next.on('error', (error) => lost(next, reasonOf(error)));
    next.on('end', () => lost(next, 'the connection ended'));
    next.on('notification', ({ payload }) => onNotification(payload));
    try {
      await next.connect();
      await next.query(`LISTEN ${inboxChannel}`);
      failures = 0;
      // Looks for events that were stored before the connection listened.
      onNotification();
    } catch (error) {
      lost(next, reasonOf(error));
    }
  }

  function begin(): void {
    connecting = connect().catch((error: unknown) => {
      // No client exists that could report the loss, so the next try is scheduled here.
      runtime.logger.debug(
        { event: 'inbox.listen_failed', reason: reasonOf(error) },
        'listening for inbox notifications failed; polling goes on',
      );
      if (!stopping) again();
    });
  }
  begin();

  return {
    async stop() {
      stopping = true;
      clearTimeout(retry);
      await connecting;
      const last = client;
      client = null;
      await last?.end().catch(() => undefined);
    },
  };
}
