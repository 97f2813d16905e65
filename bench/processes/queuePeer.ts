import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import path from 'node:path';
import pg from 'pg';
import { spreadOver } from '../support/snoozes';

/**
 * Snoozes as they are built on pg-boss, a job queue on PostgreSQL: a job per snooze that starts at its time, taken in
 * batches by one worker that asks twice a second. Says `ready` when all are armed; answers with how late each woke.
 */

/** The part of pg-boss that is used; the package is no dependency of the project. */
interface Boss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<void>;
  insert(jobs: readonly { name: string; data: Job; startAfter: Date }[]): Promise<unknown>;
  work(
    name: string,
    options: { batchSize: number; pollingIntervalSeconds: number },
    handler: (jobs: readonly { data: Job }[]) => Promise<void>,
  ): Promise<string>;
}
interface Job {
  readonly id: number;
  readonly at: number;
}

const { DATABASE_URL: connectionString = '', PORT, PEER_FOLDER = '', PEER_FIRST_AT, PEER_SPREAD_MS } = process.env;
const queue = 'wake';
const chunk = 500;

async function main(): Promise<void> {
  const PgBoss = createRequire(path.join(PEER_FOLDER, 'package.json'))('pg-boss') as new (url: string) => Boss;
  const pool = new pg.Pool({ connectionString, max: 10 });
  const boss = new PgBoss(connectionString);
  boss.on('error', (error) => process.stderr.write(`${error.message}\n`));
  await boss.start();
  await boss.createQueue(queue);

  const late: number[] = [];
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM conversations ORDER BY id');
  const dueAt = spreadOver(rows.length, Number(PEER_SPREAD_MS));
  const jobs = rows.map(({ id }, index) => ({ id: Number(id), at: dueAt(index, Number(PEER_FIRST_AT)) }));
  for (let from = 0; from < jobs.length; from += chunk) {
    const some = jobs.slice(from, from + chunk);
    await pool.query(
      `UPDATE conversations v SET conv_status = 'snoozed', snoozed_until = to_timestamp(s.at / 1000)
       FROM unnest($1::bigint[], $2::float8[]) AS s(id, at) WHERE v.id = s.id`,
      [some.map(({ id }) => id), some.map(({ at }) => at)],
    );
    await boss.insert(some.map((data) => ({ name: queue, data, startAfter: new Date(data.at) })));
  }
  await boss.work(queue, { batchSize: 100, pollingIntervalSeconds: 0.5 }, async (taken) => {
    await pool.query(
      `UPDATE conversations SET conv_status = 'open', snoozed_until = NULL
       WHERE id = ANY($1::bigint[]) AND conv_status = 'snoozed'`,
      [taken.map(({ data }) => data.id)],
    );
    for (const { data } of taken) late.push(Date.now() - data.at);
  });
  createServer((_request, response) => void response.end(JSON.stringify(late))).listen(Number(PORT), '127.0.0.1', () =>
    process.stdout.write('ready\n'),
  );
}

void main();
