import { existsSync } from 'node:fs';
import path from 'node:path';
import { NativeConnection, Worker, type NativeConnectionOptions } from '@temporalio/worker';
import { createActivities } from '../activities';
import type { Runtime } from '../api/core/runtime';
import { maxLocalSends, maxQueuedActivities } from '../api/core/sendLimits';
import { connectionOptions } from '../api/core/temporal';
import { queueNames } from '../workflows/contract';
import { installRuntime } from './sdkRuntime';

/** Upstream timeout 10 s < grace 15 s < start-to-close 20 s < forced shutdown 25 s: no call is cut off by a stop. */
const shutdownGraceTime = 15_000;
const shutdownForceTime = 25_000;
const bulkActivities = 20;
/** Tasks and what runs inside them (wake-ups, macros, sends): half at most are held by sends. */
const workflowTasks = 2 * maxLocalSends;

/** The workers of one process. */
export interface Workers {
  /** Takes work until `shutdown`; rejects when a worker fails, after the other one has drained too. */
  run(): Promise<void>;
  /** Stops taking and lets what runs finish; `run` resolves then. */
  shutdown(): void;
  /** Closes the connection to the engine; only after `run` has settled. */
  close(): Promise<void>;
}

/** The bundle's path; throws when nobody has built it, for which no waiting helps. */
export function requireBundle(bundlePath: string = path.join(__dirname, 'workflowBundle.js')): string {
  if (!existsSync(bundlePath)) throw new Error(`The workflow bundle ${bundlePath} is missing: run \`npm run build\`.`);
  return bundlePath;
}

/** Connects to the engine and prepares both workers; throws while it is away. */
export async function createWorkers(
  runtime: Runtime,
  options: { readonly bundlePath?: string } = {},
): Promise<Workers> {
  const { config, logger } = runtime;
  const codePath = requireBundle(options.bundlePath);
  installRuntime(logger);
  const connection = await NativeConnection.connect((await connectionOptions(config)) as NativeConnectionOptions);
  try {
    const queues = queueNames(config.temporal.taskQueuePrefix);
    const common = {
      connection,
      namespace: config.temporal.namespace,
      activities: createActivities(runtime),
      shutdownGraceTime,
      shutdownForceTime,
    };
    const interactive = await Worker.create({
      ...common,
      taskQueue: queues.interactive,
      workflowBundle: { codePath },
      maxCachedWorkflows: config.cachedWorkflows,
      maxConcurrentActivityTaskExecutions: maxQueuedActivities,
      maxConcurrentWorkflowTaskExecutions: workflowTasks,
      maxConcurrentLocalActivityExecutions: workflowTasks,
    });
    const bulk = await Worker.create({
      ...common,
      taskQueue: queues.bulk,
      maxConcurrentActivityTaskExecutions: bulkActivities,
    });
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
