import type { Installation } from './context';
import { familyMs, machineMs, processorMs, type Child } from './processes';
import { percentile } from './stats';

const everyMs = 1_000;
/** Queues with fewer free task slots than this are reported. */
const fewPlaces = 5;

/** How busy the programs were while they were watched. */
interface Strain {
  /** Busy cores by program, the idle ones among them. */
  readonly cores: Readonly<Record<string, number>>;
  /** The delay of the event loop in ms, the 99th percentile of each second: the middle and the highest of them. */
  readonly loopMs: Readonly<Record<string, { readonly p50: number; readonly highest: number }>>;
  /** The most statements that waited for a connection at a time. */
  readonly poolWaiters: Readonly<Record<string, number>>;
  /** The fewest task slots that were free, by queue and kind; those that were never short are left out. */
  readonly freePlaces: Readonly<Record<string, number>>;
}

/** Watches the processes of an installation: how busy they are, and how long what they do waits for its turn. */
export function watchStrain(
  installation: Installation,
  monitored: Readonly<Record<'API' | 'worker', Pick<Child, 'pid' | 'url'>>>,
): { readonly stop: () => Promise<Strain> } {
  const programs: Readonly<Record<string, () => number>> = {
    API: () => processorMs(monitored.API.pid),
    worker: () => processorMs(monitored.worker.pid),
    PostgreSQL: () => familyMs(Number(process.env['BENCH_POSTGRES_PID'])),
    Temporal: () => processorMs(Number(process.env['BENCH_TEMPORAL_PID'])),
    'the platform': () => processorMs(installation.sandbox?.pid ?? 0),
    'this bench': () => processorMs(process.pid),
    idle: () => machineMs().idle,
  };
  const begun = Date.now();
  const before = Object.entries(programs).map(([name, read]) => [name, read()] as const);
  const lags: Record<string, number[]> = { API: [], worker: [] };
  const waiters: Record<string, number> = { API: 0, worker: 0 };

  const free = new Map<string, number>();

  async function look(): Promise<void> {
    for (const [name, { url }] of Object.entries(monitored)) {
      const text = await fetch(`${url}/metrics`).then((answer) => answer.text());
      const read = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? Number.NaN);
      // The histogram begins anew with each reading.
      lags[name]?.push(read(/^nodejs_eventloop_lag_p99_seconds (\S+)/m) * 1_000);
      for (const [, labels = '', places] of text.matchAll(/^temporal_worker_task_slots_available\{(.*)\} (\d+)/gm)) {
        const read = (label: string): string => new RegExp(`${label}="([^"]*)"`).exec(labels)?.[1] ?? '';
        const queue = `${read('task_queue').replace(/^.*-/, '')} ${read('worker_type')}`;
        free.set(queue, Math.min(free.get(queue) ?? Infinity, Number(places)));
      }
      waiters[name] = Math.max(
        waiters[name] ?? 0,
        read(/^msgdesk_database_pool_connections\{state="waiting"\} (\S+)/m) || 0,
      );
    }
  }
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => undefined);
  }, everyMs);

  return {
    async stop() {
      clearInterval(timer);
      await looking;
      const ms = Date.now() - begun;
      return {
        cores: Object.fromEntries(before.map(([name, was]) => [name, ((programs[name]?.() ?? 0) - was) / ms])),
        loopMs: Object.fromEntries(
          Object.entries(lags).map(([name, samples]) => [
            name,
            { p50: percentile(samples, 0.5), highest: percentile(samples, 1) },
          ]),
        ),
        poolWaiters: waiters,
        freePlaces: Object.fromEntries([...free].filter(([, places]) => places < fewPlaces)),
      };
    },
  };
}

/** Returns what was watched as lines to read. */
export function strainText({ cores, loopMs, poolWaiters, freePlaces }: Strain): string {
  const busy = Object.entries(cores).map(([name, share]) => `${name} ${share.toFixed(2)}`);
  const loops = Object.entries(loopMs).map(
    ([name, { p50, highest }]) => `${name} ${p50.toFixed(0)} (highest ${highest.toFixed(0)})`,
  );
  const waiting = Object.entries(poolWaiters).map(([name, most]) => `${name} ${most}`);
  const short = Object.entries(freePlaces).map(([queue, fewest]) => `${queue} ${fewest}`);
  return (
    `cores: ${busy.join(', ')}; event loop p99 in ms: ${loops.join(', ')}; pool waiters: ${waiting.join(', ')}; ` +
    `fewest free places: ${short.join(', ') || 'enough'}`
  );
}
