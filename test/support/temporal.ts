import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { devServerConfig } from '../../dev/temporal/start';
import { searchAttributeNames } from '../../workflows/contract';
import { eventually } from './eventually';
import { freePorts } from '../../dev/lib/ports';
import { testSetting } from './handed';

/** A Temporal dev server of one's own, which may be taken away and brought back with its data. */
export interface PrivateTemporal {
  readonly address: string;
  start(): Promise<void>;
  /** Ends it at once; what it stored stays. */
  kill(): Promise<void>;
  /** Freezes it: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

interface PrivateTemporalOptions {
  /** Settings beside those that every dev server of ours gets. */
  readonly dynamicConfig?: Record<string, string | number | boolean>;
  /** False: it is started by the test. */
  readonly started?: boolean;
}

/** Prepares a private server on a free port and, unless told otherwise, starts it. */
export async function privateTemporal(options: PrivateTemporalOptions = {}): Promise<PrivateTemporal> {
  const folder = await mkdtemp(path.join(process.env['TEST_TMP'] || tmpdir(), 'temporal-'));
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  let child: ChildProcess | null = null;

  async function start(): Promise<void> {
    const args = [
      'server',
      'start-dev',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--headless',
      '--log-level',
      'error',
      '--db-filename',
      path.join(folder, 'temporal.db'),
    ];
    for (const pragma of ['journal_mode=WAL', 'synchronous=OFF']) args.push('--sqlite-pragma', pragma);
    for (const name of searchAttributeNames) args.push('--search-attribute', `${name}=Keyword`);
    for (const [name, value] of Object.entries({ ...devServerConfig, ...options.dynamicConfig }))
      args.push('--dynamic-config-value', `${name}=${JSON.stringify(value)}`);
    const cli = testSetting('TEST_TEMPORAL_CLI');
    // A user's own settings (a cloud address, a key) must not reach it.
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TEMPORAL_CONFIG_FILE: path.join(folder, 'none.toml') };
    const started = spawn(cli, args, { stdio: 'ignore', env });
    child = started;
    await eventually(
      () => {
        if (started.exitCode !== null)
          throw new Error(`the private Temporal server ended with code ${started.exitCode}`);
        return promisify(execFile)(
          cli,
          ['operator', 'namespace', 'describe', '--namespace', 'default', '--address', address],
          { env, timeout: 10_000 },
        );
      },
      { everyMs: 200 },
    );
  }

  async function kill(): Promise<void> {
    const running = child;
    child = null;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await gone;
  }

  if (options.started !== false) await start();
  return {
    address,
    start,
    kill,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
