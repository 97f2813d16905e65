import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { countSetAside } from '../../../core/queue/outboxAside';
import type { Runtime } from '../../../core/runtime';
import { countUnpaidAnywhere } from '../../resources/accounts/payment';
import { countStoppedAnywhere } from '../../resources/accounts/stops';
import { countHolds } from '../../resources/accounts/fence';
import { readBacklog } from './backlog';

/** The metrics of one process. */
interface ProcessMetrics {
  readonly registry: Registry;
  readonly contentType: string;
  /** Everything as Prometheus text. */
  read(): Promise<string>;
}

/** Scrapes come every quarter of a minute or so; more often tells nothing new. */
const backlogMs = 5_000;

/**
 * Builds what the API and the workers both tell: the process, its connections, whether Temporal answers, and what
 * waits in the database. The backlog is told by every process, so that it is seen while all workers are down.
 */
export function createProcessMetrics(runtime: Runtime): ProcessMetrics {
  const registry = Registry.merge([runtime.counts.registry]);
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const up = new Gauge({
    name: 'workflow_engine_up',
    help: 'Whether Temporal answered last.',
    registers,
  });
  const pool = new Gauge({
    name: 'database_pool_connections',
    help: 'Connections of this process to the database by state, and who waits for one.',
    labelNames: ['state'],
    registers,
  });
  const databaseUp = new Gauge({
    name: 'database_up',
    help: 'Whether the database answered the last scrape.',
    registers,
  });
  const stopped = new Gauge({
    name: 'stopped_senders',
    help: 'Accounts and phone numbers that the platform refuses to send for.',
    labelNames: ['kind'],
    registers,
  });
  const unpaid = new Gauge({
    name: 'payment_refused_accounts',
    help: 'Accounts for which the platform does not deliver what costs something, because nobody pays.',
    registers,
  });
  const holds = new Gauge({
    name: 'delivery_holds',
    help: 'Holds of the operator on sending; a database that went back in time counts as one.',
    registers,
  });
  const setAside = new Gauge({
    name: 'intents_set_aside',
    help: 'Intents that Temporal refused for good.',
    registers,
  });
  const rows = new Gauge({
    name: 'backlog_rows',
    help: 'Rows that wait, by kind, over the whole installation.',
    labelNames: ['kind'],
    registers,
  });
  const age = new Gauge({
    name: 'backlog_oldest_seconds',
    help: 'How long the oldest row of a kind has waited.',
    labelNames: ['kind'],
    registers,
  });

  const { replica } = runtime;
  const reads = new Gauge({
    name: 'database_reads',
    help: 'Reads since the start by who answered: the replica, or the primary (because that is behind or away).',
    labelNames: ['target'],
    registers: replica ? registers : [],
  });
  const lag = new Gauge({
    name: 'database_replica_lag_bytes',
    help: 'What the replica has yet to take over of the log; none where it does not answer.',
    registers: replica ? registers : [],
  });
  const readLag = shared(async () => replica?.lagBytes() ?? null, backlogMs);

  // The route is public: requests within some seconds share one look at the database.
  const look = shared(
    () =>
      Promise.all([
        countStoppedAnywhere(runtime),
        countSetAside(runtime.db),
        readBacklog(runtime),
        countHolds(runtime),
        countUnpaidAnywhere(runtime),
      ]),
    backlogMs,
  );

  async function refresh(): Promise<void> {
    up.set(runtime.temporal.state() === 'up' ? 1 : 0);
    const { size, available, using, waiting } = runtime.db.poolState();
    for (const [state, count] of Object.entries({ size, available, using, waiting })) pool.set({ state }, count);
    if (replica) {
      for (const [target, count] of Object.entries(replica.counts())) reads.set({ target }, count);
      const bytes = await readLag();
      if (bytes === null) lag.remove();
      else lag.set(bytes);
    }
    try {
      const [senders, intents, backlog, held, refused] = await look();
      unpaid.set(refused);
      holds.set(held);
      setAside.set(intents);
      databaseUp.set(1);
      stopped.set({ kind: 'account' }, senders.accounts);
      stopped.set({ kind: 'phone_number' }, senders.numbers);
      for (const { name, rows: count, oldestSeconds } of backlog) {
        rows.set({ kind: name }, count);
        age.set({ kind: name }, oldestSeconds);
      }
    } catch {
      // Without the database there are still the other metrics; old figures would look like present ones.
      databaseUp.set(0);
      for (const gauge of [stopped, unpaid, holds, setAside, rows, age]) gauge.reset();
    }
  }

  return {
    registry,
    contentType: registry.contentType,
    async read() {
      await refresh();
      return registry.metrics();
    },
  };
}

/**
 * Shares one look among all callers who come while it is running and for a while after its end; failures are shared,
 * too.
 */
export function shared<T>(look: () => Promise<T>, keepMs = 1_000): () => Promise<T> {
  let current: Promise<T> | null = null;
  return () => {
    if (current) return current;
    const started = look();
    current = started;
    const forget = (): void => {
      setTimeout(() => (current = null), keepMs).unref();
    };
    started.then(forget, forget);
    return started;
  };
}
