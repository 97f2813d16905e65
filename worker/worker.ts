import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { NativeConnection, Worker, type NativeConnectionOptions, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities';
import type { Runtime } from '../api/core/runtime';
import { connectionOptions } from '../api/core/temporal/client';
import { queueNames } from '../workflows/queues';
import { bundlePaths } from './bundlePaths';
import type { Monitor } from './monitor';
import type * as TracingModule from './tracing';
import { installRuntime } from './sdkRuntime';

/** Upstream timeout 10 s < grace 15 s < start-to-close 20 s < forced shutdown 25 s: no call is cut off by a stop. */
const shutdownGraceTime = 15_000;
const shutdownForceTime = 25_000;
/**
 * The most tasks at the same time, with the short activities inside them (wake-ups, macros), for which people wait; and
 * rounds of webhook deliveries, one for each subscription, which wait for a receiver most of their time.
 */
const workflowTasks = 100;

/**
 * The number of parallel polls for workflow tasks, and the share of them that asks for workflows which no worker has in
 * its cache. Nearly all tasks are of that kind, each the first of its workflow: with the SDK's share of one fifth only
 * two polls would fetch them, and replies would queue at the server while the worker is idle.
 */
const workflowPolls = { maxConcurrentWorkflowTaskPolls: 16, nonStickyToStickyPollRatio: 0.75 };

/**
 * The young generation of a workflow thread's heap, in MB. V8's default of 16 would be used by each of three threads,
 * and collecting a few MB takes no longer.
 */
const threadSemiSpaceMb = 2;

/**
 * The most workflows that stay in memory, each about a third of a megabyte: deliveries of conversations and of
 * webhooks. Few timers, because keeping one from its start to its end saves only a replay of some ten events.
 */
const maxCached = { interactive: 1_000, webhooks: 250, timers: 20 } as const;

/** The most tasks of timers at the same time, so that many that are due together leave the processor to other work. */
const timerTasks = 10;

/** The most chunks of broadcasts at the same time. */
const bulkActivities = 20;

/** The workers of one process. */
export interface Workers {
  /** Takes work until `shutdown`; rejects when a worker fails, after the other one has drained too. */
  run(): Promise<void>;
  /** Stops taking and lets what runs finish; `run` resolves then. */
  shutdown(): void;
  /** Returns the SDK's word for the state of each, by name. */
  states(): Record<string, string>;
  /** Closes the connection to Temporal; only after `run` has settled. */
  close(): Promise<void>;
}

/** Returns the bundle's path; throws when it was not built, because waiting would not help. */
export function requireBundle(
  { tracing }: Pick<Runtime, 'tracing'>,
  bundlePath: string = bundlePaths[tracing.sdk ? 'traced' : 'plain'],
): string {
  if (!existsSync(bundlePath)) throw new Error(`The workflow bundle ${bundlePath} is missing: run \`npm run build\`.`);
  return bundlePath;
}

/** Connects to Temporal and prepares the workers of this process's roles; throws while it is away. */
export async function createWorkers(
  runtime: Runtime,
  options: {
    readonly bundlePath?: string;
    readonly monitor?: Monitor | null;
    /** Runs workflow code in this thread: three threads cost a second of processor time to start, which tests save. */
    readonly singleThread?: boolean;
  } = {},
): Promise<Workers> {
  const { config, logger } = runtime;
  const { monitor } = options;
  installRuntime(logger, monitor?.sdkAddress);
  // Holds for heaps that are made from now on: those of the workflow threads, not the one of this thread.
  setFlagsFromString(`--max-semi-space-size=${threadSemiSpaceMb}`);
  const connection = await NativeConnection.connect((await connectionOptions(config)) as NativeConnectionOptions);
  try {
    const queues = queueNames(await runtime.installation.prefix());
    const activities = createActivities(runtime);
    const { sdk } = runtime.tracing;
    const traced = sdk ? (createRequire(__filename)('./tracing') as typeof TracingModule).tracedWorker(sdk) : {};
    const { version } = config.worker;
    const common = {
      ...traced,
      // A running workflow goes over to the new version at its next task: workflows here are replayed by every version.
      ...(version
        ? {
            workerDeploymentOptions: {
              version,
              useWorkerVersioning: true as const,
              defaultVersioningBehavior: 'AUTO_UPGRADE' as const,
            },
          }
        : {}),
      connection,
      namespace: config.temporal.namespace,
      activities: monitor ? monitor.counted(activities) : activities,
      shutdownGraceTime,
      shutdownForceTime,
      // The SDK's name for it, because debuggers follow one thread only.
      debugMode: options.singleThread ?? false,
    };
    const { roles } = config.worker;
    const wanted: Record<string, WorkerOptions> = {};
    if (roles.has('workflows')) {
      const workflowBundle = { codePath: requireBundle(runtime, options.bundlePath) };
      wanted['interactive'] = {
        ...common,
        taskQueue: queues.interactive,
        workflowBundle,
        ...workflowPolls,
        maxCachedWorkflows: maxCached.interactive,
        // Each activity is a send that needs a permit: more activities than permits would only wait.
        maxConcurrentActivityTaskExecutions: config.platformCalls,
        maxConcurrentWorkflowTaskExecutions: workflowTasks,
        maxConcurrentLocalActivityExecutions: workflowTasks,
      };
      // A timer runs a task when it begins and one when it is over: keeping it in memory in between saves one replay.
      wanted['timers'] = {
        ...common,
        taskQueue: queues.timers,
        workflowBundle,
        ...workflowPolls,
        maxConcurrentWorkflowTaskPolls: timerTasks,
        maxCachedWorkflows: maxCached.timers,
        maxConcurrentActivityTaskExecutions: timerTasks,
        maxConcurrentWorkflowTaskExecutions: timerTasks,
        maxConcurrentLocalActivityExecutions: timerTasks,
      };
    }
    if (roles.has('workflows'))
      wanted['notify'] = {
        ...common,
        taskQueue: queues.notify,
        maxConcurrentActivityTaskExecutions: config.platformCalls,
      };
    if (roles.has('workflows'))
      wanted['webhooks'] = {
        ...common,
        taskQueue: queues.webhooks,
        workflowBundle: { codePath: requireBundle(runtime, options.bundlePath) },
        maxCachedWorkflows: maxCached.webhooks,
        maxConcurrentActivityTaskExecutions: workflowTasks,
      };
    if (roles.has('bulk'))
      wanted['bulk'] = { ...common, taskQueue: queues.bulk, maxConcurrentActivityTaskExecutions: bulkActivities };
    const workers = await createAll(wanted);
    return assemble(workers, connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function createAll(wanted: Readonly<Record<string, WorkerOptions>>): Promise<ReadonlyMap<string, Worker>> {
  const workers = new Map<string, Worker>();
  for (const [name, options] of Object.entries(wanted)) workers.set(name, await Worker.create(options));
  return workers;
}

function assemble(byName: ReadonlyMap<string, Worker>, connection: NativeConnection): Workers {
  const workers = [...byName.values()];
  function shutdown(): void {
    // A worker that has stopped or was asked already must not be asked again.
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  }
  return {
    shutdown,
    async run() {
      const runs = workers.map((worker) =>
        worker.run().catch((error: unknown) => {
          // One without the other would leave a queue unserved without any sign.
          shutdown();
          throw error;
        }),
      );
      const failed = (await Promise.allSettled(runs)).find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    },
    states: () => Object.fromEntries([...byName].map(([name, worker]) => [name, worker.getState()])),
    close: () => connection.close(),
  };
}
