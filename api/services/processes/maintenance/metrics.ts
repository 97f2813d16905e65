import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { countSetAside } from '../../../core/queue/outboxAside';
import type { Runtime } from '../../../core/runtime';
import { countUnpaidAnywhere } from '../../resources/accounts/payment';
import { countStoppedAnywhere } from '../../resources/accounts/stops';
import { countHolds } from '../../resources/accounts/fence';
import { readBacklog } from './backlog';
import { readUsage, type WorkspaceUsage } from './usage';

/** The metrics of one process. */
interface ProcessMetrics {
  readonly registry: Registry;
  readonly contentType: string;
  /** Everything as Prometheus text; written once a second for all who ask, since the page is public. */
  read(): Promise<string>;
}

/** Scrapes come every quarter of a minute or so; more often tells nothing new. */
const backlogMs = 5_000;
/** Who uses most is counted through its rows, and changes slowly. */
const usageMs = 300_000;
/** Workspaces with a series of their own; the others are in `workspace list --usage`. */
const mostTold = 10;

/**
 * Builds what the API and the workers both tell: the process, its connections, whether Temporal answers, and what
 * waits in the database. The backlog is told by every process, so that it is seen while all workers are down.
 */
export function createProcessMetrics(runtime: Runtime): ProcessMetrics {
  const registry = Registry.merge([runtime.counts.registry]);
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const up = new Gauge({
    name: 'msgdesk_workflow_engine_up',
    help: 'Whether Temporal answered last; none where it was not asked yet.',
    registers,
  });
  const pool = new Gauge({
    name: 'msgdesk_database_pool_connections',
    help: 'Connections of this process to the database by state, and who waits for one.',
    labelNames: ['state'],
    registers,
  });
  const databaseUp = new Gauge({
    name: 'msgdesk_database_up',
    help: 'Whether the database answered the last scrape.',
    registers,
  });
  const stopped = new Gauge({
    name: 'msgdesk_stopped_senders',
    help: 'Accounts and phone numbers that the platform refuses to send for.',
    labelNames: ['kind'],
    registers,
  });
  const unpaid = new Gauge({
    name: 'msgdesk_payment_refused_accounts',
    help: 'Accounts for which the platform does not deliver what costs something, because nobody pays.',
    registers,
  });
  const holds = new Gauge({
    name: 'msgdesk_delivery_holds',
    help: 'Holds of the operator on sending; a database that went back in time counts as one.',
    registers,
  });
  const setAside = new Gauge({
    name: 'msgdesk_intents_set_aside',
    help: 'Intents that Temporal refused for good.',
    registers,
  });
  const rows = new Gauge({
    name: 'msgdesk_backlog_rows',
    help: 'Rows that wait, by kind, over the whole installation.',
    labelNames: ['kind'],
    registers,
  });
  const age = new Gauge({
    name: 'msgdesk_backlog_oldest_seconds',
    help: 'How long the oldest row of a kind has waited.',
    labelNames: ['kind'],
    registers,
  });

  const usage = new Gauge({
    name: 'msgdesk_workspace_usage',
    help: `The ${mostTold} workspaces with most: messages, busy_ms (30 days), stored_bytes, waiting and failing rows.`,
    labelNames: ['workspace', 'kind'],
    registers,
  });
  const room = new Gauge({
    name: 'msgdesk_file_store_bytes',
    help: 'Room of the file store, free and in all; none where it is a bucket.',
    labelNames: ['kind'],
    registers,
  });
  const readRoom = shared(() => runtime.files.room().catch(() => null), backlogMs);

  const { replica } = runtime;
  const reads = new Gauge({
    name: 'msgdesk_database_reads',
    help: 'Reads since the start by who answered: the replica, or the primary (because that is behind or away).',
    labelNames: ['target'],
    registers: replica ? registers : [],
  });
  const lag = new Gauge({
    name: 'msgdesk_database_replica_lag_bytes',
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

  // Not waited for: a server that hangs would make each scrape late.
  const askEngine = shared(() => runtime.temporal.probe(), backlogMs);
  const lookAtUsage = shared(() => readUsage(runtime), usageMs);

  async function refreshUsage(): Promise<void> {
    const workspaces = await lookAtUsage();
    const sum = (rows: Readonly<Record<string, number>>): number => Object.values(rows).reduce((a, b) => a + b, 0);
    usage.reset();
    for (const [kind, of] of [
      ['messages', (each) => each.messages],
      ['stored_bytes', (each) => each.storedBytes],
      ['busy_ms', (each) => each.busyMs],
      ['waiting', (each) => sum(each.waiting)],
      ['failing', (each) => sum(each.failing)],
    ] as const satisfies readonly (readonly [string, (each: WorkspaceUsage) => number])[])
      for (const each of workspaces.toSorted((one, other) => of(other) - of(one)).slice(0, mostTold))
        if (of(each) > 0) usage.set({ workspace: String(each.id), kind }, of(each));
  }

  async function refresh(): Promise<void> {
    // Who had no reason to call Temporal does not know: that it is away, nobody may be told for that.
    void askEngine();
    const engine = runtime.temporal.state();
    if (engine === 'unknown') up.remove();
    else up.set(engine === 'up' ? 1 : 0);
    const { size, available, using, waiting } = runtime.db.poolState();
    for (const [state, count] of Object.entries({ size, available, using, waiting })) pool.set({ state }, count);
    const found = await readRoom();
    if (found === null) room.reset();
    else for (const [kind, bytes] of Object.entries(found)) room.set({ kind }, bytes);
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
      // What grows with time would look like a present figure; holds, stops and the like stay as they were last known.
      databaseUp.set(0);
      for (const gauge of [rows, age]) gauge.reset();
    }
    // What is dear to count is not worth failing for.
    await refreshUsage().catch(() => usage.reset());
  }

  return {
    registry,
    contentType: registry.contentType,
    read: shared(async () => {
      await refresh();
      return registry.metrics();
    }),
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
