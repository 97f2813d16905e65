import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createSandbox, type Sandbox } from '../../dev/sandbox/server';
import { startBalancer, type Balancer } from './balancer';
import { commandOf } from './compose';
import { eventually } from './eventually';
import { freePorts } from '../../dev/lib/ports';
import { preparedSetting, topologyPrograms } from './programs';
import { root } from './settings';

/** A process of the topology; `restart` is what a rolling deployment does to one replica. */
interface Replica {
  readonly name: string;
  /** Where it serves `/readyz` or `/healthz`. */
  readonly origin: string;
  readonly pid: number;
  output(): string;
  /** Waits until it is ready. */
  ready(): Promise<void>;
  /** Tells it to stop, waits until it has, and starts another one in its place; gives the exit code. */
  restart(): Promise<number | null>;
}

/** What docker-compose.yml describes, run without Docker. */
export interface Topology {
  readonly balancer: Balancer;
  readonly sandbox: Sandbox;
  readonly api: readonly Replica[];
  readonly workers: readonly Replica[];
  readonly migrated: string;
  /** Where Temporal tells its figures, as `ops/prometheus.yml` scrapes them. */
  readonly temporalMetrics: string;
  /** Runs the admin CLI beside it. */
  admin(...args: string[]): Promise<Record<string, unknown>>;
  /** Rows of the service's database, asked by the superuser and past the pooler. */
  sql(statement: string, database?: string): Promise<string>;
  close(): Promise<void>;
}

const startMs = 120_000;
/** Users to hand over to: neither PostgreSQL nor PgBouncer runs as root. */
const unprivileged: Record<string, string> = process.getuid?.() === 0 ? { POOLER_USER: 'postgres' } : {};

/** Starts everything in the order of docker-compose.yml, with its commands and environment. */
export async function startTopology(settings: Readonly<Record<string, string>> = {}): Promise<Topology> {
  const closing: (() => Promise<void>)[] = [];
  const outputs: Record<string, () => string> = {};
  const close = async (): Promise<void> => {
    for (const end of closing.reverse()) await end();
  };
  try {
    return await build(settings, outputs, closing, close);
  } catch (error) {
    await close();
    const said = Object.entries(outputs).map(([name, output]) => `--- ${name}\n${output().slice(-4_000)}`);
    throw new Error(`${String(error)}\n${said.join('\n')}`, { cause: error });
  }
}

async function build(
  settings: Readonly<Record<string, string>>,
  outputs: Record<string, () => string>,
  closing: (() => Promise<void>)[],
  close: () => Promise<void>,
): Promise<Topology> {
  const folder = await mkdtemp(path.join(process.env['TEST_TMP'] || tmpdir(), 'topology-'));
  // PostgreSQL's user and the pooler's have to be able to pass through.
  await chmod(folder, 0o711);
  closing.push(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
  const [postgres = 0, pooler = 0, ...ports] = await freePorts(7);
  const [apiA = 0, apiB = 0, pagesA = 0, pagesB = 0, front = 0] = ports;
  // Its four parts listen on ports of their own, which are fixed: the address is what no other run has.
  const temporal = `127.${[...randomBytes(3)].map((byte) => 1 + (byte % 254)).join('.')}`;
  const sandbox = createSandbox();
  const { url: upstream } = await sandbox.listen(0, '127.0.0.1');
  closing.push(() => sandbox.close());

  // What an operator writes into `.env`.
  const secret = (): string => randomBytes(24).toString('hex');
  const dotEnv: Record<string, string> = {
    POSTGRES_PASSWORD: secret(),
    DATABASE_PASSWORD: secret(),
    TEMPORAL_DATABASE_PASSWORD: secret(),
    SECRETS_KEY: randomBytes(32).toString('base64'),
    BASE_URL: `http://127.0.0.1:${front}`,
    MSGAPP_API_URL: upstream,
    TRUST_PROXY: '1',
    DATABASE_PREPARE: preparedSetting(),
    ...settings,
  };
  // What the containers' network does: names become addresses.
  const places: readonly (readonly [name: RegExp, address: string])[] = [
    [/@pooler:6432/, `@127.0.0.1:${pooler}`],
    [/@postgres:5432/, `@127.0.0.1:${postgres}`],
    [/^temporal:7233$/, `${temporal}:7233`],
    [/^0\.0\.0\.0:9091$/, `${temporal}:9091`],
    [/^HOST=postgres$/, 'HOST=127.0.0.1'],
    [/^5432$/, String(postgres)],
    [/^6432$/, String(pooler)],
    [/^\/files$/, path.join(folder, 'files')],
    [/^\/msgdesk\//, `${path.join(root, 'ops', 'temporal')}/`],
    [/^\/usr\/local\/bin\/start-pooler$/, path.join(root, 'ops', 'pooler', 'start.sh')],
  ];
  const placed = (text: string): string => places.reduce((now, [from, to]) => now.replace(from, to), text);
  // A role may be called like a host.
  const placedIn = (key: string, value: string): string =>
    key.endsWith('HOST') ? placed(`HOST=${value}`).slice('HOST='.length) : placed(value);
  const command = (name: string): { words: string[]; env: Record<string, string> } => {
    const { words, env } = commandOf(name, dotEnv);
    return {
      words: words.map(placed),
      env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, placedIn(key, value)])),
    };
  };
  const programs = [topologyPrograms.temporal, topologyPrograms.pooler, process.env['PATH']].join(':');
  const runOnce = async (name: string, more: Record<string, string> = {}): Promise<string> => {
    const { words, env } = command(name);
    const [program = '', ...args] = words;
    const { stdout, stderr } = await promisify(execFile)(program, args, {
      cwd: root,
      env: { PATH: programs, ...env, ...more },
      timeout: startMs,
    });
    return stdout + stderr;
  };

  // --- postgres -----------------------------------------------------------------------------------------------
  // As they stand: what PostgreSQL does not understand, it refuses.
  const [server, ...settingsOfCompose] = command('postgres').words;
  if (server !== 'postgres') throw new Error(`docker-compose.yml starts \`${server}\` in place of \`postgres\``);
  const database = spawn(process.execPath, [path.join(root, 'dist', 'dev', 'postgres', 'server.js')], {
    env: {
      ...process.env,
      PG_DIR: path.join(folder, 'postgres'),
      PG_PORT: String(postgres),
      PG_USER: 'postgres',
      PG_PASSWORD: dotEnv['POSTGRES_PASSWORD'],
      PG_ARGUMENTS: JSON.stringify(settingsOfCompose),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const databaseOutput = keep(database);
  closing.push(() => ended(database, 'SIGTERM'));
  await new Promise<void>((resolve, reject) => {
    database.once('message', () => resolve());
    database.once('exit', () => reject(new Error(`PostgreSQL ended at start:\n${databaseOutput()}`)));
  });
  const psql = { PGHOST: '127.0.0.1', PGPORT: String(postgres), PGPASSWORD: dotEnv['POSTGRES_PASSWORD'] ?? '' };
  const roles = path.join(root, 'ops', 'postgres', 'roles.sh');
  await promisify(execFile)('sh', [roles], {
    env: { PATH: programs, ...psql, ...command('postgres').env },
    timeout: startMs,
  });

  // --- pooler, Temporal ---------------------------------------------------------------------------------------
  const started = (name: string, more: Record<string, string>): ChildProcess => {
    const { words, env } = command(name);
    const [program = '', ...args] = words;
    const child = spawn(program, args, {
      cwd: root,
      env: { PATH: programs, ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    closing.push(() => ended(child, 'SIGTERM'));
    outputs[name] = keep(child);
    return child;
  };
  const poolerFolder = path.join(folder, 'pooler');
  const poolerChild = started('pooler', { POOLER_FOLDER: poolerFolder, LISTEN_ADDRESS: '127.0.0.1', ...unprivileged });
  await listening(pooler, poolerChild, keep(poolerChild));
  await runOnce('temporal-schema');
  // As at every later start of the topology.
  await runOnce('temporal-schema');
  const engine = started('temporal', { BIND_ON_IP: temporal });
  await listening(7233, engine, keep(engine), temporal);

  // --- the service --------------------------------------------------------------------------------------------
  const migrated = await runOnce('migrate');
  const replica = async (service: 'api' | 'worker', index: number, port: number): Promise<Replica> => {
    const portName = service === 'api' ? 'PORT' : 'WORKER_PORT';
    let child = started(service, { HOST: '127.0.0.1', [portName]: String(port) });
    let output = keep(child);
    const origin = `http://127.0.0.1:${port}`;
    const ready = (): Promise<void> =>
      eventually(
        async () => {
          if (child.exitCode !== null) throw new Error(`${service} ended:\n${output()}`);
          const answer = await fetch(`${origin}${service === 'api' ? '/readyz' : '/healthz'}`);
          if (!answer.ok || (service === 'worker' && !output().includes('worker ready')))
            throw new Error(`${service} is not ready:\n${output()}`);
        },
        { timeoutMs: startMs, everyMs: 200 },
      );
    await ready();
    return {
      name: `${service} ${index}`,
      origin,
      get pid() {
        return child.pid ?? 0;
      },
      output: () => output(),
      ready,
      async restart() {
        await ended(child, 'SIGTERM');
        const { exitCode } = child;
        child = started(service, { HOST: '127.0.0.1', [portName]: String(port) });
        output = keep(child);
        await ready();
        return exitCode;
      },
    };
  };
  const api = await Promise.all([replica('api', 1, apiA), replica('api', 2, apiB)]);
  const workers = await Promise.all([replica('worker', 1, pagesA), replica('worker', 2, pagesB)]);
  const balancer = await startBalancer(
    front,
    api.map(({ origin }) => origin),
  );
  closing.push(() => balancer.close());

  return {
    balancer,
    sandbox,
    api,
    workers,
    migrated,
    temporalMetrics: `http://${temporal}:9091/metrics`,
    async admin(...args) {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [path.join(root, 'dist', 'admin', 'index.js'), ...args, '--json'],
        { cwd: root, env: { PATH: programs, ...command('api').env }, timeout: startMs },
      );
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    async sql(statement, name = 'msgdesk') {
      const args = ['--username', 'postgres', '--dbname', name, '--no-psqlrc', '--tuples-only', '--no-align'];
      const { stdout } = await promisify(execFile)('psql', [...args, '--command', statement], {
        env: { PATH: programs, ...psql },
        timeout: startMs,
      });
      return stdout.trim();
    },
    close,
  };
}

/** Keeps the last of what a process writes. */
function keep(child: ChildProcess): () => string {
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (written = `${written}${chunk.toString()}`.slice(-100_000)));
  return () => written;
}

async function listening(port: number, child: ChildProcess, output: () => string, host = '127.0.0.1'): Promise<void> {
  await eventually(
    () =>
      new Promise<void>((resolve, reject) => {
        if (child.exitCode !== null) reject(new Error(`it ended:\n${output()}`));
        const socket = connect(port, host, () => {
          socket.destroy();
          resolve();
        });
        socket.once('error', () => reject(new Error(`nothing listens on ${port}:\n${output()}`)));
      }),
    { timeoutMs: startMs, everyMs: 200 },
  );
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const forced = setTimeout(() => child.kill('SIGKILL'), 60_000);
  await gone;
  clearTimeout(forced);
}
