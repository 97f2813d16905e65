import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../../api/core/clock';
import { loadConfig } from '../../api/core/config';
import { createLogger } from '../../api/core/logger';
import { patientTiming, type Timing } from '../../api/core/process';
import { createRuntime, type Runtime } from '../../api/core/runtime';
import type { WebhookClient } from '../../api/core/http/webhookClient';
import { createSandbox, type Sandbox } from '../../dev/sandbox/server';
import { createDatabase } from './database';
import { reportWalls } from './walls';

export interface TestRuntimeOptions {
  /** The time by which due-checks decide. */
  readonly clock?: Clock;
  /** Where log lines go; silent unless told. */
  readonly logger?: Logger;
  /** Sends webhooks; the service's own unless told. */
  readonly webhooks?: WebhookClient;
  /** Leases and looks, for this runtime and the processes that are started beside it; production's unless told. */
  readonly timing?: Partial<Timing>;
  /** Settings over those of the harness. */
  readonly env?: Record<string, string>;
  /** Starts a sandbox upstream in this process and points the runtime at it. */
  readonly sandbox?: boolean;
  /** The time of the sandbox's own rules. */
  readonly sandboxClock?: () => number;
  /** Makes it a further process of this installation: over its database, files, sandbox and secrets. */
  readonly beside?: TestRuntime;
}

/** A runtime over a database of its own; tests in parallel share nothing but the servers. */
export interface TestRuntime {
  readonly runtime: Runtime;
  /** The settings it was made from, for child processes that shall work on the same. */
  readonly env: Readonly<Record<string, string>>;
  readonly timing: Timing;
  readonly sandbox?: Sandbox;
  /** Work that has to be undone before the database goes; run last in, first out. */
  onClose(cleanup: () => Promise<void>): void;
  close(): Promise<void>;
}

/** Makes a runtime; its task queues, database and sandbox belong to nobody else. Call `close` when done. */
export async function createTestRuntime(
  options: TestRuntimeOptions & { sandbox: true },
): Promise<TestRuntime & { readonly sandbox: Sandbox }>;
export async function createTestRuntime(options?: TestRuntimeOptions): Promise<TestRuntime>;
export async function createTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const installation = options.beside ? ofInstallation(options.beside) : await createInstallation(options);
  const { sandbox } = installation;
  const env = { ...installation.env, ...options.env };
  const config = loadConfig(env);
  const timing = { ...patientTiming, ...options.timing };
  const runtime = createRuntime(config, 'test', {
    logger: options.logger ?? createLogger(config.logLevel, 'test'),
    timing,
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.webhooks ? { webhooks: options.webhooks } : {}),
  });
  const cleanups: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;

  async function closeAll(): Promise<void> {
    for (const cleanup of cleanups.reverse()) await cleanup();
    await runtime.close();
    await installation.close();
  }

  return {
    runtime,
    env,
    timing,
    ...(sandbox ? { sandbox } : {}),
    onClose: (cleanup) => cleanups.push(cleanup),
    close: () => (closing ??= closeAll()),
  };
}

/** What processes of one installation share. */
interface Installation extends Pick<TestRuntime, 'env' | 'sandbox'> {
  close(): Promise<void>;
}

/** Returns that of another process, which closes it. */
function ofInstallation({ env, sandbox }: TestRuntime): Installation {
  return { env, ...(sandbox ? { sandbox } : {}), close: () => Promise.resolve() };
}

/** Makes a database, a folder for files and, where asked for, a sandbox. */
async function createInstallation(options: TestRuntimeOptions): Promise<Installation> {
  // `npm test` counts them: each is a database, a sandbox and a server or a worker that has to be started.
  const folder = process.env['TEST_TMP'];
  if (folder) await appendFile(path.join(folder, 'servers'), '.');
  const database = await createDatabase();
  const reportNow = reportWalls();
  const sandbox = options.sandbox
    ? createSandbox({ ...(options.sandboxClock ? { clock: options.sandboxClock } : {}) })
    : undefined;
  const files = await mkdtemp(path.join(folder || tmpdir(), 'files-'));
  const listening = await sandbox?.listen(0, '127.0.0.1');
  const env = {
    NODE_ENV: 'test',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    DATABASE_URL: database.url,
    // Nothing listens on port 1: without Temporal or an upstream, calls fail at once instead of reaching a stranger.
    TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'] ?? '127.0.0.1:1',
    TEMPORAL_PREFIX: `test-${randomBytes(6).toString('hex')}`,
    FILES_DIR: files,
    MSGAPP_API_URL: listening?.url ?? 'http://127.0.0.1:1',
    SECRETS_KEY: randomBytes(32).toString('base64'),
  };
  return {
    env,
    ...(sandbox ? { sandbox } : {}),
    async close() {
      reportNow();
      await sandbox?.close();
      await database.drop();
      await rm(files, { recursive: true, force: true });
    },
  };
}
