import { existsSync } from 'node:fs';
import path from 'node:path';
import { NativeConnection, Runtime as TemporalRuntime, Worker, type LogMetadata, type NativeConnectionOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createActivities } from '../activities';
import type { Runtime } from '../api/core/runtime';
import { connectionOptions } from '../api/core/temporal';
import { queueNames } from '../workflows/contract';

/** Upstream timeout 10 s < grace 15 s < start-to-close 20 s < forced shutdown 25 s: no call is cut off by a stop. */
const shutdownGraceTime = 15_000;
const shutdownForceTime = 25_000;
/** Activities mostly wait for the upstream and hold no connection meanwhile, so they may outnumber the pool. */
const interactiveActivities = 60;
const bulkActivities = 20;
const wakeUps = 50;

/** The workers of one process. */
export interface Workers {
  /** Takes work until `shutdown`; rejects when a worker fails, after the other one has drained too. */
  run(): Promise<void>;
  /** Stops taking and lets what runs finish; `run` resolves then. */
  shutdown(): void;
  /** Closes the connection to the engine; only after `run` has settled. */
  close(): Promise<void>;
}

let installed = false;

/** Sends the SDK's logs, its native part's included, through our logger. Once per process; it has no effect later. */
export function installRuntime(logger: Logger): void {
  if (installed) return;
  installed = true;
  const log = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: LogMetadata) => logger[level](plain(meta), message);
  TemporalRuntime.install({
    logger: {
      log: (level, message, meta) => log(level.toLowerCase() as Lowercase<typeof level>)(message, meta),
      trace: log('trace'),
      debug: log('debug'),
      info: log('info'),
      warn: log('warn'),
      error: log('error'),
    },
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    // The entry decides when to stop: loops and connections have their place in that order.
    shutdownSignals: [],
  });
}

/** Metadata without the parts that JSON cannot hold. */
function plain(meta: LogMetadata | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(meta ?? {}).map(([key, value]) => [key, typeof value === 'bigint' ? String(value) : value]));
}

/** Connects to the engine and prepares both workers; throws while it is away. */
export async function createWorkers(runtime: Runtime, options: { readonly bundlePath?: string } = {}): Promise<Workers> {
  const { config, logger } = runtime;
  const codePath = options.bundlePath ?? path.join(__dirname, 'workflowBundle.js');
  if (!existsSync(codePath)) throw new Error(`The workflow bundle ${codePath} is missing: run \`npm run build\`.`);
  installRuntime(logger);
  const connection = await NativeConnection.connect((await connectionOptions(config)) as NativeConnectionOptions);
  try {
    const queues = queueNames(config.temporal.taskQueuePrefix);
    const common = { connection, namespace: config.temporal.namespace, activities: createActivities(runtime), shutdownGraceTime, shutdownForceTime };
    const interactive = await Worker.create({
      ...common,
      taskQueue: queues.interactive,
      workflowBundle: { codePath },
      maxCachedWorkflows: config.cachedWorkflows,
      maxConcurrentActivityTaskExecutions: interactiveActivities,
      maxConcurrentLocalActivityExecutions: wakeUps,
    });
    const bulk = await Worker.create({ ...common, taskQueue: queues.bulk, maxConcurrentActivityTaskExecutions: bulkActivities });
    return assemble([interactive, bulk], connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function assemble(workers: readonly Worker[], connection: NativeConnection): Workers {
  function shutdown(): void {
    // A worker that has stopped or was asked already must not be asked again.
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  }
  return {
    shutdown,
    async run() {
      const runs = workers.map((worker) =>
        worker.run().catch((error: unknown) => {
          // One without the other would leave a queue unserved without anybody noticing.
          shutdown();
          throw error;
        }),
      );
      const failed = (await Promise.allSettled(runs)).find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    },
    close: () => connection.close(),
  };
}
