import pg from 'pg';
import { missingLimits, poolerSettings } from '../../api/core/db/connections';
import { createDb } from '../../api/core/db/database';
import { createCustomer } from '../factories/customers';
import { startApi, type TestApi } from '../support/api';
import { createDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { startPooler } from '../support/pooler';
import { describeWith, preparedSetting } from '../support/programs';
import { spawnWorker } from '../support/worker';

/** Connections of PostgreSQL that everything shares. */
const size = 3;

describeWith(['pooler'], 'behind a pooler in transaction mode', () => {
  let desk: TestApi;
  let direct = '';
  let pooled = '';
  beforeAll(async () => {
    const database = await createDatabase();
    const pooler = await startPooler(database.url, size);
    direct = database.url;
    pooled = pooler.url;
    const DATABASE_PREPARE = preparedSetting();
    desk = await startApi({ env: { DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct, DATABASE_PREPARE } });
    desk.test.onClose(async () => {
      await pooler.close();
      await database.drop();
    });
  });
  afterAll(() => desk.close());

  it('every connection has the limits and the isolation that the service counts on', async () => {
    const { db } = desk.runtime;
    const values = await db.row(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
              current_setting('idle_in_transaction_session_timeout') AS idle,
                current_setting('transaction_isolation') AS isolation`,
    );
    expect(values).toEqual({ statement: '5s', lock: '4s', idle: '20s', isolation: 'read committed' });
    expect(await missingLimits(pooled)).toEqual([]);
  });

  it('an operator sees its pools on its console, as the runbook says', async () => {
    const address = new URL(pooled);
    const name = address.pathname.slice(1);
    address.pathname = '/pgbouncer';
    const client = new pg.Client({ connectionString: address.href });
    await client.connect();
    try {
      const { rows } = await client.query('SHOW POOLS');
      expect(rows).toContainEqual(expect.objectContaining({ database: name, cl_waiting: expect.anything() as string }));
    } finally {
      await client.end();
    }
  });

  it('an operator is told of limits that a pooler lacks', async () => {
    // The direct address has none, as a pooler that nobody told.
    expect(await missingLimits(direct)).toEqual([
      `connections of the pooler have no idle_in_transaction_session_timeout: let it run "${poolerSettings}" on each`,
      `connections of the pooler have no lock_timeout: let it run "${poolerSettings}" on each`,
      `connections of the pooler have no statement_timeout: let it run "${poolerSettings}" on each`,
    ]);
  });

  it('forty transactions at once share three connections, and what one sets stays its own', async () => {
    const db = createDb(pooled, {
      pool: 40,
      name: 'test',
      prepare: preparedSetting() === 'true',
      pooled: true,
      waitMs: 20_000,
    });
    const seen = await Promise.all(
      Array.from({ length: 40 }, (_unused, index) =>
        db.transaction(async () => {
          await db.rows(`SET LOCAL statement_timeout = ${10_000 + index}`);
          await db.rows('SELECT pg_sleep(0.02)');
          const row = await db.row<{ timeout: string; pid: number }>(
            `SELECT current_setting('statement_timeout') AS timeout, pg_backend_pid() AS pid`,
          );
          return [row?.timeout, row?.pid] as const;
        }),
      ),
    );
    expect(seen.map(([timeout]) => timeout)).toEqual(seen.map((_unused, index) => timeoutOf(10_000 + index)));
    expect(new Set(seen.map(([, pid]) => pid)).size).toBeLessThanOrEqual(size);
    expect(await db.row(`SELECT current_setting('statement_timeout') AS timeout`)).toEqual({ timeout: '5s' });
    // A lock of a transaction keeps others out, whichever connections they have, and ends with it.
    let inside = 0;
    let most = 0;
    await Promise.all(
      seen.map(() =>
        db.transaction(async () => {
          await db.rows('SELECT pg_advisory_xact_lock(42)');
          most = Math.max(most, ++inside);
          await db.rows('SELECT pg_sleep(0.005)');
          inside -= 1;
        }),
      ),
    );
    expect(most).toBe(1);
    await db.close();
  });

  it('a worker listens past it, and a message comes in and goes out', async () => {
    await spawnWorker(desk.test);
    const customer = createCustomer(desk.workspace);
    await customer.writes('Hello');
    await eventually(async () =>
      expect(
        await desk.runtime.db.rows(
          `SELECT 1 AS listens FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'msgdesk-inbox' AND query LIKE 'LISTEN%'`,
        ),
      ).toHaveLength(1),
    );
    const { status, body } = await desk.api.post('/api/v1/messages/', { to: customer.phone, body: 'Hi' });
    expect([status, body['error']]).toEqual([201, undefined]);
    await eventually(async () =>
      expect((await desk.api.get(`/api/v1/messages/${String(body['id'])}/`)).body).toMatchObject({
        message_status: 'read',
      }),
    );
  });
});

/** As PostgreSQL writes it: in whole seconds where it can. */
function timeoutOf(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}
