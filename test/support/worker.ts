import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { startDirectSends } from '../../api/services/delivery/direct';
import { startInbox } from '../../worker/events';
import { startDeliveries, startFetches, startOutboxRelay, startPushes, startWebhookFanOut } from '../../worker/loops';
import { createWorkers } from '../../worker/worker';
import { reconcileStart } from '../../workflows/starts';
import { eventually } from './eventually';
import type { TestRuntime } from './runtime';
import { bundlePath, root } from './settings';
import { workflowOf } from './workflows';

/**
 * Begins something of Temporal that runs workflow code in this thread. It puts a writer of stacks of its own in the
 * place of jest's, which knows the lines of the sources: that one is put back.
 */
export async function inThisThread<T>(begin: () => Promise<T>): Promise<T> {
  const { prepareStackTrace } = Error;
  const begun = await begin();
  Object.assign(Error, { prepareStackTrace });
  return begun;
}

/**
 * Returns a worker in this process, with its loops; workflow code runs in this thread, as in no process of the product
 * (`spawnWorker`). Stopped by `stop`, or with the runtime.
 */
export async function startWorker({ runtime, onClose }: TestRuntime): Promise<{ stop(): Promise<void> }> {
  const workers = await inThisThread(() => createWorkers(runtime, { bundlePath, singleThread: true }));
  const loops = [
    startDeliveries(runtime),
    startOutboxRelay(runtime),
    startInbox(runtime),
    startFetches(runtime),
    startWebhookFanOut(runtime),
    ...(runtime.config.vapid ? [startPushes(runtime)] : []),
  ];
  const sends = startDirectSends(runtime);
  const running = workers.run();
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    workers.shutdown();
    await Promise.all([running, sends.stop(), ...loops.map((loop) => loop.stop())]);
    await workers.close();
  }
  const stop = (): Promise<void> => (stopping ??= stopAll());
  onClose(stop);
  return { stop };
}

/** How a process ended. */
interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of the product. */
export interface SpawnedProcess {
  readonly pid: number;
  /** How it ended. */
  readonly exited: Promise<Exit>;
  /** Everything it has written. */
  output(): string;
  /** Waits until a line of its log contains the text. */
  logged(text: string): Promise<void>;
  /** Ends it, by default at once and without its help, and waits until it is gone. */
  kill(signal?: NodeJS.Signals): Promise<Exit>;
}

/**
 * Returns a real worker process of the last build, on the runtime's database, queues and sandbox; ready when it is
 * given.
 */
export async function spawnWorker(
  test: TestRuntime,
  env: Record<string, string> = {},
  options: { readonly awaitReady?: boolean } = {},
): Promise<SpawnedProcess> {
  const worker = spawnProcess(test, 'worker', { LOG_LEVEL: 'info', ...env });
  test.onClose(async () => {
    await worker.kill();
    // The process started the sweeps, which would go on without it.
    if ((await test.runtime.temporal.probe()) === 'up')
      await workflowOf(test.runtime, reconcileStart.id)
        .terminate('the test is over')
        .catch(() => undefined);
  });
  if (options.awaitReady !== false) await worker.logged('worker ready');
  return worker;
}

/**
 * Returns a real API process of the last build on the runtime's database and the given port; listening when it is
 * given.
 */
export async function spawnApi(
  test: TestRuntime,
  port: number,
  env: Record<string, string> = {},
): Promise<SpawnedProcess> {
  const api = spawnProcess(test, 'api', { LOG_LEVEL: 'info', HOST: '127.0.0.1', PORT: String(port), ...env });
  test.onClose(async () => void (await api.kill()));
  await api.logged('api listens');
  return api;
}

function spawnProcess(test: TestRuntime, part: 'worker' | 'api', env: Record<string, string>): SpawnedProcess {
  const entry = path.join(root, 'dist', part, 'index.js');
  if (!existsSync(entry)) throw new Error(`${entry} is missing: run \`npm run build\`.`);
  const script = `require(${JSON.stringify(entry)}).main(${JSON.stringify(test.timing)})`;
  const child = spawn(process.execPath, ['-e', script], {
    env: { PATH: process.env['PATH'] ?? '', ...test.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  const keep = (chunk: Buffer): void => {
    written += chunk.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const running = (): boolean => child.exitCode === null && child.signalCode === null;

  return {
    pid: child.pid ?? 0,
    exited,
    output: () => written,
    async logged(text) {
      await eventually(
        () => {
          if (written.includes(text)) return;
          if (!running()) throw new Error(`the ${part} ended early:\n${written}`);
          throw new Error(`the ${part} has not logged ${JSON.stringify(text)}:\n${written}`);
        },
        { timeoutMs: 60_000 },
      );
    },
    async kill(signal = 'SIGKILL') {
      if (running()) child.kill(signal);
      return exited;
    },
  };
}
