import pg from 'pg';
import type { Runtime } from '../api/core/runtime';
import { inboxChannel } from '../api/services/processes/inbound/announce';
import { drainInbox } from '../api/services/processes/inbound/service';
import { syncRequested } from '../api/services/processes/upstreamSync/service';
import { reasonOf, startLoop, type Loop } from './loop';

const batch = 100;
/** Notifications make it quick; this makes it certain. */
const pollMs = 1_000;
const reconnectMs = 1_000;
const resyncMs = 2_000;

/**
 * Processes stored upstream events. The database wakes the first drainer when something was stored, and one that finds
 * a
 * full batch wakes the next: what comes in while it works makes batches, instead of four looks per event.
 */
export function startInbox(runtime: Runtime): Loop {
  const loops: Loop[] = Array.from({ length: runtime.config.worker.inboxDrainers }, (_unused, index) =>
    startLoop({
      name: `inbox drainer ${index + 1}`,
      logger: runtime.logger,
      idleMs: pollMs,
      step: async () => (await drainInbox(runtime, batch, () => loops[index + 1]?.wake())) > 0,
    }),
  );
  // Some events only say that something changed: the account is read again, soon but not per event.
  const reader = startLoop({
    name: 'requested syncs',
    logger: runtime.logger,
    idleMs: resyncMs,
    step: async () => (await syncRequested(runtime)) > 0,
  });
  const wake = (): void => loops[0]?.wake();
  const listener = listen(runtime, wake);
  return {
    wake,
    async stop() {
      await listener.stop();
      await Promise.all([reader, ...loops].map((loop) => loop.stop()));
    },
    state: () => [reader, ...loops].flatMap((loop) => loop.state()),
  };
}

/** Listens on a connection of its own; while that is lost, polling covers for it. */
function listen(runtime: Runtime, onNotification: () => void): { stop(): Promise<void> } {
  let stopping = false;
  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let connecting: Promise<void> = Promise.resolve();

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
    retry = setTimeout(begin, reconnectMs);
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
    next.on('notification', onNotification);
    try {
      await next.connect();
      await next.query(`LISTEN ${inboxChannel}`);
      // What was stored while nobody listened.
      onNotification();
    } catch (error) {
      lost(next, reasonOf(error));
    }
  }

  function begin(): void {
    connecting = connect().catch((error: unknown) => {
      // Without a client there is nothing that could report a loss: the next try is arranged here.
      runtime.logger.debug(
        { event: 'inbox.listen_failed', reason: reasonOf(error) },
        'listening for inbox notifications failed; polling goes on',
      );
      if (!stopping) retry = setTimeout(begin, reconnectMs).unref();
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
