import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { eventually } from './eventually';
import { freePorts } from '../../dev/lib/ports';
import { topologyPrograms } from './programs';
import { root } from './settings';

/** PgBouncer in transaction mode, as docker-compose.yml runs it, before one database with `size` connections. */
export async function startPooler(
  databaseUrl: string,
  size: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const folder = await mkdtemp(path.join(process.env['TEST_TMP'] || tmpdir(), 'pooler-'));
  await chmod(folder, 0o711);
  const [port = 0] = await freePorts(1);
  const target = new URL(databaseUrl);
  const child = spawn('sh', [path.join(root, 'ops', 'pooler', 'start.sh')], {
    env: {
      PATH: `${topologyPrograms.pooler}:${process.env['PATH'] ?? ''}`,
      POSTGRES_HOST: target.hostname,
      POSTGRES_PORT: target.port,
      DATABASE_NAME: target.pathname.slice(1),
      DATABASE_USER: target.username,
      DATABASE_PASSWORD: decodeURIComponent(target.password),
      LISTEN_ADDRESS: '127.0.0.1',
      LISTEN_PORT: String(port),
      POOL_SIZE: String(size),
      POOLER_FOLDER: path.join(folder, 'files'),
      // It refuses to run as root.
      ...(process.getuid?.() === 0 ? { POOLER_USER: 'postgres' } : {}),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const url = new URL(databaseUrl);
  url.port = String(port);
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`the pooler ended:\n${output}`);
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.end();
  });
  return {
    url: url.href,
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      // At once: SIGINT would wait for transactions.
      if (child.exitCode === null && child.kill('SIGTERM')) await gone;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
