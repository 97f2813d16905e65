import path from 'node:path';
import { startChild, type Child, type OnLine } from '../lib/children';

/** Where a server's data are, and how it is reached. */
interface PostgresOptions {
  readonly dir: string;
  readonly port: number;
  readonly password: string;
  /** Made when it is not there. */
  readonly database: string;
  /** False gives up crash safety for speed, which is right for data that a test run throws away. */
  readonly durable: boolean;
  readonly onLine: OnLine;
}

/** Returns settings of a server as arguments of `postgres`. */
export function settingArguments(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Starts an embedded PostgreSQL and returns its handle; `waitReady` says when it serves. */
export function startPostgres({ dir, port, password, database, durable, onLine }: PostgresOptions): Child {
  const env = {
    ...process.env,
    PG_DIR: dir,
    PG_PORT: String(port),
    PG_USER: 'msgdesk',
    PG_PASSWORD: password,
    PG_DATABASE: database,
    PG_DURABLE: durable ? '1' : '0',
  };
  return startChild({ name: 'postgres', script: path.join(__dirname, 'server.js'), env, onLine });
}
