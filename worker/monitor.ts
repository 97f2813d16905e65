import net from 'node:net';
import { Counter, Gauge } from 'prom-client';
import { serveOwnPages } from '../api/core/http/ownPages';
import type { Runtime } from '../api/core/runtime';
import { createProcessMetrics } from '../api/services/processes/maintenance/metrics';
import type { Activities } from '../workflows/activityTypes';
import { sweepNames, type SweepResult } from '../workflows/contract';
import type { LoopState } from './loop';

/** A loop that has begun no step for this long hangs: its steps and pauses have limits far below it. */
const maxStillMs = 120_000;
const sdkTimeoutMs = 1_000;

/** The state that the pages of a worker show. */
interface Monitored {
  readonly roles: readonly string[];
  loops(): LoopState[];
  /** Returns Temporal's workers by name and state; none while Temporal is not reachable. */
  workers(): Readonly<Record<string, string>>;
}

/** A worker's `/healthz` and `/metrics`. */
export interface Monitor {
  readonly port: number;
  /** Where the SDK's own metrics are to be served, for this process only. */
  readonly sdkAddress: string;
  /** Counts the rows that sweeps change. */
  counted(activities: Activities): Activities;
  close(): Promise<void>;
}

/** Opens the worker's pages on `WORKER_PORT`; throws an error that names the variable when the port is taken. */
export async function startMonitor(runtime: Runtime, monitored: Monitored): Promise<Monitor> {
  const { worker } = runtime.config;
  const sdkAddress = `127.0.0.1:${await freePort()}`;
  const metrics = createProcessMetrics(runtime);
  const registers = [metrics.registry];
  const failures = new Gauge({
    name: 'msgdesk_worker_loop_failures',
    help: 'Failed steps in a row of a background loop.',
    labelNames: ['loop'],
    registers,
  });
  const still = new Gauge({
    name: 'msgdesk_worker_loop_still_seconds',
    help: 'How long ago a background loop last moved.',
    labelNames: ['loop'],
    registers,
  });
  const running = new Gauge({
    name: 'msgdesk_worker_running',
    help: 'Whether a worker of this process takes tasks from its queue.',
    labelNames: ['worker'],
    registers,
  });
  const swept = new Counter({
    name: 'msgdesk_sweep_rows_total',
    help: 'Rows that a sweep found left behind and put right.',
    labelNames: ['sweep'],
    registers,
  });
  const sweepFailures = new Counter({
    name: 'msgdesk_sweep_failures_total',
    help: 'Sweeps that failed.',
    labelNames: ['sweep'],
    registers,
  });

  async function readMetrics(): Promise<string> {
    for (const loop of monitored.loops()) {
      failures.set({ loop: loop.name }, loop.failures);
      still.set({ loop: loop.name }, loop.idleMs / 1_000);
    }
    running.reset();
    for (const [worker, state] of Object.entries(monitored.workers()))
      running.set({ worker }, state === 'RUNNING' ? 1 : 0);
    const [own, sdk] = await Promise.all([metrics.read(), readSdkMetrics(sdkAddress)]);
    return `${own}\n${sdk}`;
  }

  const { port, close } = await serveOwnPages(
    runtime,
    { port: worker.port, setting: 'WORKER_PORT' },
    {
      '/healthz': async () => {
        const { status, body } = healthOf(monitored);
        return { status, type: 'application/json', text: JSON.stringify(body) };
      },
      '/metrics': async () => ({ status: 200, type: metrics.contentType, text: await readMetrics() }),
    },
  );
  runtime.logger.info({ event: 'worker.monitor_listening', port }, 'worker health and metrics');

  return {
    port,
    sdkAddress,
    counted(activities) {
      const entries = Object.entries(activities) as [string, (input: never) => Promise<unknown>][];
      return Object.fromEntries(
        entries.map(([name, run]) => [
          name,
          async (input: never): Promise<unknown> => {
            try {
              const result = await run(input);
              if (sweeps.has(name)) swept.inc({ sweep: name }, (result as SweepResult).rows);
              return result;
            } catch (error) {
              if (sweeps.has(name)) sweepFailures.inc({ sweep: name });
              throw error;
            }
          },
        ]),
      ) as unknown as Activities;
    },
    close,
  };
}

/** The steps of the `reconcile` workflow. */
const sweeps: ReadonlySet<string> = new Set(sweepNames);

/** Alive unless a loop hangs or a worker failed: a Temporal or a database that is away is no reason to restart. */
export function healthOf(monitored: Monitored): { status: number; body: Record<string, unknown> } {
  const loops = monitored.loops();
  const workers = monitored.workers();
  const hanging = loops.filter((loop) => loop.idleMs > maxStillMs).map((loop) => loop.name);
  const failed = Object.entries(workers)
    .filter(([, state]) => state === 'FAILED')
    .map(([name]) => name);
  const healthy = hanging.length === 0 && failed.length === 0;
  return {
    status: healthy ? 200 : 503,
    body: {
      status: healthy ? 'ok' : 'unavailable',
      roles: monitored.roles,
      workers,
      loops: Object.fromEntries(loops.map((loop) => [loop.name, { failures: loop.failures, idle_ms: loop.idleMs }])),
      ...(healthy ? {} : { hanging, failed }),
    },
  };
}

/** Adds the metrics of the SDK, which serves them on a port of its own, to ours. */
async function readSdkMetrics(address: string): Promise<string> {
  try {
    const answer = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(sdkTimeoutMs) });
    return answer.ok ? await answer.text() : '';
  } catch {
    // Nothing is served before the first connection to Temporal.
    return '';
  }
}

async function freePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as net.AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
