import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { provideTemporalServer } from '../../dev/topology/provide';
import { root } from '../../dev/lib/launcher';
import type { Installation } from './context';
import { until } from './stats';

/** A Temporal server on the PostgreSQL of the figure, with the settings of docker-compose.yml. */
interface PostgresTemporal {
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts it; null, with the reason in the log, where the server is not in the cache. */
export async function startTemporalOnPostgres(
  installation: Installation,
  log: (line: string) => void,
): Promise<PostgresTemporal | null> {
  const temporal = await provideTemporalServer(log);
  if ('skipped' in temporal) {
    log(temporal.skipped);
    return null;
  }
  const password = randomBytes(12).toString('hex');
  const server = new URL(installation.env['DATABASE_URL'] ?? '');
  await installation.sql(`CREATE ROLE temporal LOGIN PASSWORD '${password}'`);
  for (const database of ['temporal', 'temporal_visibility'])
    await installation.sql(`CREATE DATABASE ${database} OWNER temporal`);
  const folder = path.join(root, 'ops', 'temporal');
  const env = { PATH: `${temporal.path}:${process.env['PATH'] ?? ''}` };
  await promisify(execFile)('sh', [path.join(folder, 'schema.sh')], {
    env: {
      ...env,
      SQL_PLUGIN: 'postgres12',
      SQL_HOST: server.hostname,
      SQL_PORT: server.port,
      SQL_USER: 'temporal',
      SQL_PASSWORD: password,
    },
    timeout: 120_000,
  });
  // Its parts listen on fixed ports: the address is what no other run has.
  const address = `127.${[...randomBytes(3)].map((byte) => 1 + (byte % 254)).join('.')}`;
  const child = spawn('sh', [path.join(folder, 'start.sh')], {
    env: {
      ...env,
      POSTGRES_HOST: server.hostname,
      POSTGRES_PORT: server.port,
      TEMPORAL_DATABASE_PASSWORD: password,
      NUM_HISTORY_SHARDS: '512',
      SQL_MAX_CONNS: '20',
      SQL_VIS_MAX_CONNS: '10',
      DYNAMIC_CONFIG_FILE: path.join(folder, 'dynamic.yaml'),
      BIND_ON_IP: address,
    },
    stdio: 'ignore',
  });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  log(`Temporal on PostgreSQL at ${address}`);
  await until('the Temporal server', 120_000, () => {
    if (child.exitCode !== null) throw new Error('the Temporal server on PostgreSQL ended at its start');
    return answersAt(address);
  });
  return {
    address: `${address}:7233`,
    pid: child.pid ?? 0,
    async stop() {
      process.removeListener('exit', end);
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const forced = setTimeout(end, 30_000);
      await gone;
      clearTimeout(forced);
    },
  };
}

function answersAt(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(7233, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
