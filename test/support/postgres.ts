import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, copyFile, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { eventually } from './eventually';
import { freePorts } from '../../dev/lib/ports';
import { settingArguments } from '../../dev/postgres/start';
import { root } from './settings';

/** A PostgreSQL server of one's own, whose data may be backed up, restored, followed by a standby and promoted. */
export interface PrivatePostgres {
  /** The address stays the same whichever data the server runs on. */
  readonly url: string;
  /** Runs one statement on a connection of its own. */
  sql<T extends object = Record<string, unknown>>(statement: string, database?: string): Promise<T[]>;
  /** Ends it as a power cut does: nothing is written out. */
  crash(): Promise<void>;
  /** Ends it in order. */
  stop(): Promise<void>;
  /** Whether it runs: it ends by itself where its log finds no room. */
  isRunning(): boolean;
  /** Starts it on the data that it had, or on others. */
  start(data?: string): Promise<void>;
  /** Copies the data while it runs, as base backups are made; gives the copy's folder. */
  backup(): Promise<string>;
  /** A standby by streaming, on a port of its own. */
  standby(): Promise<Standby>;
  /** Ends everything and removes all data. */
  close(): Promise<void>;
}

/** A server that follows another one. */
interface Standby {
  readonly url: string;
  /** Runs one statement on it. */
  sql<T extends object = Record<string, unknown>>(statement: string): Promise<T[]>;
  /** Ends it as a power cut does. */
  crash(): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  readonly data: string;
  /** Waits until it has everything that the primary has now. */
  caughtUp(): Promise<void>;
  /** Cuts it off: it goes on without what the primary does from now on. */
  cutOff(): Promise<void>;
  /** Makes it a primary, and stops it. */
  promote(): Promise<void>;
}

const database = 'msgdesk';
const user = 'msgdesk';
/** What a base backup leaves out: the log comes after the copy, the rest belongs to the running server. */
const leftOut = new Set(['pg_wal', 'postmaster.pid', 'postmaster.opts', 'pg_stat_tmp', 'pg_replslot']);

interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly data: string;
}

interface PrivatePostgresOptions {
  /** Where a folder for its data is made. */
  readonly folder?: string;
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a server with an empty database on a free port. */
export async function privatePostgres(options: PrivatePostgresOptions = {}): Promise<PrivatePostgres> {
  const folder = await mkdtemp(path.join(options.folder ?? (process.env['TEST_TMP'] || tmpdir()), 'postgres-'));
  // PostgreSQL's user has to be able to pass through.
  await chmod(folder, 0o711);
  const [port = 0, secondPort = 0] = await freePorts(2);
  const password = randomBytes(12).toString('hex');
  const address = (at: number, name: string): string => `postgres://${user}:${password}@127.0.0.1:${at}/${name}`;
  const running = new Map<number, Running>();
  let copies = 0;
  let current = path.join(folder, 'first');

  async function run(data: string, at: number): Promise<void> {
    const child = spawn(process.execPath, [path.join(root, 'dist', 'dev', 'postgres', 'server.js')], {
      env: {
        ...process.env,
        PG_DIR: data,
        PG_PORT: String(at),
        PG_USER: user,
        PG_PASSWORD: password,
        PG_DATABASE: database,
        // What is committed must survive a crash: that is what these tests are about.
        PG_DURABLE: '1',
        PG_ARGUMENTS: JSON.stringify(settingArguments(options.settings ?? {})),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-20_000)));
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('message', (message) => resolve((message as { pid: number }).pid));
      child.once('exit', () => reject(new Error(`PostgreSQL ended at start:\n${output}`)));
    });
    running.set(at, { child, pid, data });
  }

  async function end(at: number, signal: NodeJS.Signals): Promise<void> {
    const server = running.get(at);
    running.delete(at);
    if (!server || server.child.exitCode !== null) return;
    const gone = new Promise((resolve) => server.child.once('exit', resolve));
    process.kill(server.pid, signal);
    await gone;
  }

  async function connected<T>(at: number, name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: address(at, name) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  const sql = async <T extends object>(statement: string, name = database): Promise<T[]> =>
    connected(port, name, async (client) => (await client.query<T>(statement)).rows);

  async function backup(): Promise<string> {
    copies += 1;
    const copy = path.join(folder, `copy-${copies}`);
    await connected(port, 'postgres', async (client) => {
      await client.query("SELECT pg_backup_start('test', true)");
      await copyTree(current, copy, leftOut);
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
      await copyTree(path.join(current, 'pg_wal'), path.join(copy, 'pg_wal'), new Set());
      await mkdir(path.join(copy, 'pg_replslot'), { mode: 0o700 });
      await mkdir(path.join(copy, 'pg_stat_tmp'), { mode: 0o700 });
      await writeFile(path.join(copy, 'backup_label'), rows[0]?.labelfile ?? '');
    });
    await ownAs(copy, current);
    return copy;
  }

  await run(current, port);
  return {
    url: address(port, database),
    sql,
    crash: () => end(port, 'SIGQUIT'),
    stop: () => end(port, 'SIGINT'),
    isRunning: () => running.get(port)?.child.exitCode === null,
    async start(data = current) {
      current = data;
      await run(data, port);
    },
    backup,
    async standby() {
      const data = await backup();
      const source = `host=127.0.0.1 port=${port} user=${user} password=${password}`;
      await writeFile(path.join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
      await writeFile(path.join(data, 'standby.signal'), '');
      await ownAs(data, current);
      await run(data, secondPort);
      const ask = (statement: string): Promise<Record<string, unknown>[]> =>
        connected(secondPort, 'postgres', async (client) => (await client.query(statement)).rows as never);
      return {
        data,
        url: address(secondPort, database),
        sql: (statement) =>
          connected(secondPort, database, async (client) => (await client.query(statement)).rows as never),
        crash: () => end(secondPort, 'SIGQUIT'),
        start: () => run(data, secondPort),
        async caughtUp() {
          const [now] = await sql<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn');
          await eventually(async () => {
            const [seen] = await ask(`SELECT pg_last_wal_replay_lsn() >= '${now?.lsn}' AS there`);
            if (seen?.['there'] !== true) throw new Error('the standby is behind');
          });
        },
        async cutOff() {
          await ask("ALTER SYSTEM SET primary_conninfo = ''");
          await ask('SELECT pg_reload_conf()');
          await eventually(async () => {
            if ((await ask('SELECT 1 AS follows FROM pg_stat_wal_receiver')).length > 0)
              throw new Error('the standby still follows');
          });
        },
        async promote() {
          await ask('SELECT pg_promote(true)');
          await end(secondPort, 'SIGINT');
        },
      };
    },
    async close() {
      for (const at of [...running.keys()]) await end(at, 'SIGQUIT');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Copies a folder that changes meanwhile: what is gone when its turn comes is left out, as the log makes up for it. */
async function copyTree(from: string, to: string, without: ReadonlySet<string>): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (without.has(entry.name)) continue;
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target, new Set());
    else
      await copyFile(source, target).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
  }
}

/** Gives a copy to whoever owns the original: the server runs as that user. */
async function ownAs(copy: string, original: string): Promise<void> {
  const { uid, gid } = await lstat(original);
  await chown(copy, uid, gid);
  for (const entry of await readdir(copy, { withFileTypes: true, recursive: true }))
    await chown(path.join(entry.parentPath, entry.name), uid, gid);
}
