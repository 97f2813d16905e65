import { execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually';
import { freePorts } from '../../dev/lib/ports';
import { testSetting } from './handed';
import { root } from './settings';

/** What `npm start` writes about itself once it is ready (`DATA_DIR/dev.json`). */
interface InstallationFacts {
  readonly base_url: string;
  readonly api_key: string;
  readonly mcp_url: string;
  readonly dashboard_email: string;
  readonly dashboard_password: string;
  readonly sandbox_url: string;
  readonly worker_url: string;
  readonly workspace_id: number;
}

/** A whole installation as `npm start` runs it, with data and ports of its own. */
export interface Installation {
  readonly facts: InstallationFacts;
  readonly dataDir: string;
  /** Returns what `npm run admin -- …` beside it prints. */
  admin(...args: string[]): Promise<Record<string, unknown>>;
  /** Stops it as Ctrl-C does, and removes its data. Gives the exit code. */
  close(): Promise<number | null>;
}

const portNames = [
  'PORT',
  'SANDBOX_PORT',
  'WORKER_PORT',
  'TEMPORAL_PORT',
  'TEMPORAL_UI_PORT',
  'POSTGRES_PORT',
] as const;
/** Settings of a person's own stack, in the environment or `.env`: an empty one keeps both out. */
const foreign = [
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'MSGAPP_API_URL',
  'SECRETS_KEY',
  'VAPID_PRIVATE_KEY',
  'BASE_URL',
  'HOST',
];
const attempts = 3;

/**
 * Runs what `npm start` runs with more settings, until it says that it is ready; ends by itself if this process does.
 */
export async function startInstallation(more: Readonly<Record<string, string>> = {}): Promise<Installation> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptStart(more);
    } catch (error) {
      // Between the look at a port and its use somebody else may have taken it.
      if (attempt === attempts || !/already in use|is taken/.test(String(error))) throw error;
    }
  }
}

async function attemptStart(more: Readonly<Record<string, string>>): Promise<Installation> {
  const dataDir = await mkdtemp(path.join(process.env['TEST_TMP'] || tmpdir(), 'installation-'));
  // PostgreSQL's user has to be able to pass through.
  await chmod(dataDir, 0o711);
  const ports = await freePorts(portNames.length);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...Object.fromEntries(foreign.map((name) => [name, ''])),
    ...Object.fromEntries(portNames.map((name, index) => [name, String(ports[index])])),
    NODE_ENV: 'development',
    DATA_DIR: dataDir,
    TEMPORAL_CLI_PATH: testSetting('TEST_TEMPORAL_CLI'),
    // As under npm: it watches the process that started it, and stops in order when that is gone.
    npm_lifecycle_event: 'start',
    ...more,
  };
  const child = spawn(process.execPath, [path.join(root, 'dev', 'start.cjs')], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  const running = (): boolean => child.exitCode === null && child.signalCode === null;

  async function close(): Promise<number | null> {
    if (running()) child.kill('SIGTERM');
    // Its children are on a leash: they end by themselves when it is gone.
    const forced = setTimeout(() => child.kill('SIGKILL'), 50_000);
    const code = await exited;
    clearTimeout(forced);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    return code;
  }

  try {
    const facts = await eventually(
      async () => {
        if (!running()) return null;
        return JSON.parse(await readFile(path.join(dataDir, 'dev.json'), 'utf8')) as InstallationFacts;
      },
      { timeoutMs: 300_000, everyMs: 100 },
    );
    if (!facts) throw new Error('it ended at start');
    return {
      facts,
      dataDir,
      async admin(...args) {
        const { stdout } = await promisify(execFile)(
          process.execPath,
          [path.join(root, 'dev', 'admin.cjs'), ...args, '--json'],
          { cwd: root, env, timeout: 60_000 },
        );
        return JSON.parse(stdout) as Record<string, unknown>;
      },
      close,
    };
  } catch (error) {
    await close();
    throw new Error(`npm start failed: ${String(error)}\n${output}`);
  }
}
