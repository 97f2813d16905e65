import { reasonOf } from '../api/core/http/faults';
import { loadConfig } from '../api/core/config';
import { awaitDatabase, pause, persist } from '../api/core/queue/persist';
import { backoffAfter } from '../api/core/queue/retry';
import type { Timing } from '../api/core/process';
import { createRuntime, type Runtime } from '../api/core/runtime';
import { startDirectSends } from '../api/services/delivery/direct';
import { holdAtStart } from '../api/services/resources/accounts/fence';
import type { Loop } from './loop';
import { startLoops } from './loops';
import { startMonitor, type Monitor } from './monitor';
import { ensureSweeps } from './sweeps';
import { createWorkers, requireBundle, type Workers } from './worker';

/** Above the workers' forced shutdown: what still runs then would run for ever. */
const maxStopMs = 40_000;

/** Set once; everything that waits looks at it. */
const stop = new AbortController();
const waits = ({ logger }: Runtime) => ({ logger, stop: stop.signal });

/** The present Temporal workers, for the health page. */
let serving: Workers | null = null;

/** Runs the Temporal workers until the process stops: connects, runs, and starts again when they fail. */
async function serveEngine(runtime: Runtime, monitor: Monitor | null): Promise<void> {
  while (!stop.signal.aborted) {
    const workers: Workers | null = await persist(
      waits(runtime),
      `Temporal at ${runtime.config.temporal.address}`,
      () => createWorkers(runtime, { monitor }),
    );
    if (!workers) return;
    serving = workers;
    const end = (): void => workers.shutdown();
    stop.signal.addEventListener('abort', end);
    try {
      const running = workers.run();
      if (stop.signal.aborted) end();
      else
        runtime.logger.info(
          {
            event: 'worker.ready',
            prefix: runtime.installation.knownPrefix(),
            roles: [...runtime.config.worker.roles],
          },
          'worker ready',
        );
      await running;
    } catch (error) {
      runtime.logger.warn({ event: 'worker.failed', reason: reasonOf(error) }, 'the workers failed and start again');
      await pause(backoffAfter(1), stop.signal);
    } finally {
      serving = null;
      stop.signal.removeEventListener('abort', end);
      await workers
        .close()
        .catch((error: unknown) =>
          runtime.logger.debug(
            { event: 'temporal.close_failed', reason: reasonOf(error) },
            'the connection to Temporal was not closed cleanly',
          ),
        );
    }
  }
}

/** Makes sure that the sweeps run, now and from time to time. */
async function keepSweeps(runtime: Runtime): Promise<void> {
  while (!stop.signal.aborted) {
    await persist(waits(runtime), 'Temporal, to start the sweeps', () => ensureSweeps(runtime));
    await pause(runtime.process.timing.looks.sweepsMs, stop.signal);
  }
}

async function work(timing?: Timing): Promise<void> {
  const runtime = createRuntime(loadConfig(), 'worker', timing ? { timing } : {});
  const { roles } = runtime.config.worker;
  if (roles.has('workflows')) requireBundle(runtime);
  const { logger } = runtime;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) return;
    logger.info({ event: 'worker.stopping', signal }, 'worker stopping');
    setTimeout(() => {
      logger.error({ event: 'worker.stop_forced' }, 'worker did not stop in time');
      process.exit(1);
    }, maxStopMs).unref();
    stop.abort();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);

  const loops: Loop[] = [];
  const monitor =
    runtime.config.worker.port === 0
      ? null
      : await startMonitor(runtime, {
          roles: [...roles],
          loops: () => loops.flatMap((loop) => loop.state()),
          workers: () => serving?.states() ?? {},
        });
  await awaitDatabase(runtime, stop.signal);
  await holdAtStart(runtime, stop.signal);
  if (!stop.signal.aborted) {
    const sends = startDirectSends(runtime);
    loops.push(...startLoops(runtime));
    const servesEngine = roles.has('workflows') || roles.has('bulk');
    if (!servesEngine) logger.info({ event: 'worker.ready', roles: [...roles] }, 'worker ready');
    const stopped = new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
    const stopLoops = async (): Promise<void> => {
      await stopped;
      await Promise.all([sends.stop(), ...loops.map((loop) => loop.stop())]);
    };
    await Promise.all([
      servesEngine ? serveEngine(runtime, monitor) : stopped,
      roles.has('relay') ? keepSweeps(runtime) : stopped,
      stopLoops(),
    ]);
  }
  await monitor?.close();
  // Connections are closed last, because the work that was drained above still wrote its outcomes.
  await runtime.close();
  logger.info({ event: 'worker.stopped' }, 'worker stopped');
}

/** Works until a signal comes, with production's timing unless told otherwise. */
export async function main(timing?: Timing): Promise<void> {
  await work(timing).catch((error: unknown) => {
    process.stderr.write(`${reasonOf(error)}\n`);
    process.exit(1);
  });
}

if (require.main === module) void main();
