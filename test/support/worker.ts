import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { startInbox } from '../../worker/inbox';
import { startOutboxRelay } from '../../worker/outboxRelay';
import { startSequencer } from '../../worker/sequencer';
import { createWorkers } from '../../worker/worker';
import { reconcileId } from '../../workflows/contract';
import { eventually } from './eventually';
import type { TestRuntime } from './runtime';
import { bundlePath, root } from './settings';

/** A worker in this process, with its loops. Stopped by `stop`, or with the runtime. */
export async function startWorker({ runtime, onClose }: TestRuntime): Promise<{ stop(): Promise<void> }> {
  const workers = await createWorkers(runtime, { bundlePath });
  const loops = [startOutboxRelay(runtime), startInbox(runtime), startSequencer(runtime)];
  const running = workers.run();
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    workers.shutdown();
    await Promise.all([running, ...loops.map((loop) => loop.stop())]);
    await workers.close();
  }
  const stop = (): Promise<void> => (stopping ??= stopAll());
  onClose(stop);
  return { stop };
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A worker process. */
export interface SpawnedWorker {
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

/** A real worker process of the last build, on the runtime's database, queues and sandbox; ready when it is given. */
export async function spawnWorker(test: TestRuntime, env: Record<string, string> = {}, options: { readonly awaitReady?: boolean } = {}): Promise<SpawnedWorker> {
  const entry = path.join(root, 'dist', 'worker', 'index.js');
  if (!existsSync(entry)) throw new Error(`${entry} is missing: run \`npm run build\`.`);
  const child = spawn(process.execPath, [entry], {
    env: { PATH: process.env['PATH'] ?? '', ...test.env, LOG_LEVEL: 'info', ...env },
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

  const worker: SpawnedWorker = {
    pid: child.pid ?? 0,
    exited,
    output: () => written,
    async logged(text) {
      await eventually(() => {
        if (written.includes(text)) return;
        if (!running()) throw new Error(`the worker ended early:\n${written}`);
        throw new Error(`the worker has not logged ${JSON.stringify(text)}:\n${written}`);
      });
    },
    async kill(signal = 'SIGKILL') {
      if (running()) child.kill(signal);
      return exited;
    },
  };
  test.onClose(async () => {
    await worker.kill();
    // The process made a schedule, which would go on without it.
    const { engine, config } = test.runtime;
    if ((await engine.probe()) === 'up') await engine.client().schedule.getHandle(reconcileId(config.temporal.taskQueuePrefix)).delete().catch(() => undefined);
  });
  if (options.awaitReady !== false) await worker.logged('worker ready');
  return worker;
}
