import type { Db } from '../../api/core/db/database';
import { createReplica } from '../../api/core/db/replica';
import { migrateDatabase } from '../../models/migrate';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { privatePostgres, type PrivatePostgres } from '../support/postgres';
import { startReplicas } from '../support/replicas';

type Json = Record<string, unknown>;
type Standby = Awaited<ReturnType<PrivatePostgres['standby']>>;

const long = { timeoutMs: 120_000 };
const limitMs = 300_000;

/** Lists and other reads come from a streaming standby where it is as new as the primary, and from that where not. */
describe('a read replica', () => {
  let server: PrivatePostgres;
  let standby: Standby;
  let desk: TestApi;

  beforeAll(async () => {
    server = await privatePostgres();
    await migrateDatabase(server.url);
    const first = 1_000 + Math.floor(Math.random() * 2_000_000_000);
    await server.sql(`ALTER TABLE workspaces ALTER COLUMN id RESTART WITH ${first}`);
    standby = await server.standby();
    desk = await startApi({
      sandbox: false,
      env: { DATABASE_URL: server.url, DATABASE_REPLICA_URL: standby.url },
    });
    desk.test.onClose(() => server.close());
  }, limitMs);
  afterAll(() => desk.close(), limitMs);

  const counts = (): Readonly<Record<string, number>> => desk.runtime.replica?.counts() ?? {};
  const names = async (): Promise<unknown[]> => {
    const { status, body } = await desk.api.get('/api/v1/contacts/?page_size=100');
    expect(status).toBe(200);
    return (body['results'] as Json[]).map(({ name }) => name);
  };
  const add = async (name: string, phone: string): Promise<void> => {
    expect((await desk.api.post('/api/v1/contacts/', { name, phone })).status).toBe(201);
  };
  /** Statements of the API that a server has run, as its connections tell. */
  const asked = (server_: { sql: Standby['sql'] }): Promise<Json[]> =>
    server_.sql(
      `SELECT query FROM pg_stat_activity WHERE application_name LIKE 'msgdesk-%' AND query LIKE '%contacts%'`,
    );
  /** Waits until the replica answers; on a busy machine it may be behind for a while. */
  const served = (): Promise<void> =>
    eventually(async () => {
      const { replica = 0 } = counts();
      await names();
      expect(counts()['replica']).toBe(replica + 1);
    }, long);

  it(
    'answers lists, and shows what was written just before, by whichever process',
    async () => {
      await served();
      expect(await asked(standby)).not.toEqual([]);
      const [other = ''] = await startReplicas(desk, 1);
      for (let index = 0; index < 10; index += 1) {
        await add(`Reader ${index}`, `+49151777000${index}`);
        expect(await names()).toContain(`Reader ${index}`);
        const answer = await fetch(`${other}/api/v1/contacts/?search=Reader+${index}`, {
          headers: { authorization: `Bearer ${desk.workspace.token}` },
        });
        expect(((await answer.json()) as { count: number }).count).toBe(1);
      }
    },
    limitMs,
  );

  it(
    'that has stopped to follow is left alone, and taken again when it has caught up',
    async () => {
      await served();
      await standby.sql('SELECT pg_wal_replay_pause()');
      await eventually(async () => {
        const [row] = await standby.sql<{ state: string }>('SELECT pg_get_wal_replay_pause_state() AS state');
        expect(row?.state).toBe('paused');
      });
      await add('Written meanwhile', '+491517770100');
      const before = counts();
      expect(await names()).toContain('Written meanwhile');
      expect(await names()).toContain('Written meanwhile');
      expect(counts()).toMatchObject({ replica: before['replica'], behind: (before['behind'] ?? 0) + 1 });
      expect(await desk.runtime.replica?.lagBytes()).toBeGreaterThan(0);
      await standby.sql('SELECT pg_wal_replay_resume()');
      await served();
      expect(await names()).toContain('Written meanwhile');
    },
    limitMs,
  );

  it(
    'that is away is done without, also while a read is under way',
    async () => {
      await served();
      await standby.crash();
      const before = counts();
      for (let index = 0; index < 3; index += 1) expect(await names()).toContain('Reader 1');
      expect(counts()['replica']).toBe(before['replica']);
      expect(await desk.runtime.replica?.lagBytes()).toBeNull();
      const metrics = await fetch(`${desk.url}/metrics`);
      expect(await metrics.text()).toMatch(/msgdesk_database_reads\{target="away"\} [1-9]/);
      await standby.start();
      await served();
    },
    limitMs,
  );

  it.each([
    ['the position of the primary falls', { position: 1, timeline: '00000001' }],
    ['the primary has another timeline', { position: 3, timeline: '00000002' }],
  ])(
    'is asked anew what it has when %s',
    async (_what, after) => {
      let written = { position: 2, timeline: '00000001' };
      const primary = { row: () => Promise.resolve(written) } as unknown as Db;
      const replica = createReplica(desk.runtime.config, desk.runtime.logger, () => primary);
      const read = async (): Promise<unknown> => {
        await replica?.read('test.reads', () => Promise.resolve());
        return replica?.counts();
      };
      await eventually(async () => expect(await read()).toMatchObject({ replica: 1 }), long);
      await standby.crash();
      // Nothing new was written: what it had is enough.
      expect(await read()).toMatchObject({ replica: 2, away: 0 });
      written = after;
      expect(await read()).toMatchObject({ replica: 2, away: 1 });
      await replica?.close();
      await standby.start();
    },
    limitMs,
  );

  it(
    'is not asked for what writes although it reads',
    async () => {
      await served();
      const { replica } = desk.runtime;
      const write = (): Promise<object[]> =>
        desk.runtime.db.rows('UPDATE workspaces SET name = name WHERE id = $id RETURNING id', {
          id: desk.workspace.id,
        });
      const before = counts();
      await eventually(async () => {
        expect(await replica?.read('test.writes', write)).toHaveLength(1);
        expect(await replica?.read('test.writes', write)).toHaveLength(1);
        expect(counts()['primary']).toBeGreaterThan(before['primary'] ?? 0);
      }, long);
      // What fails for a reason of its own fails.
      await expect(replica?.read('test.fails', () => desk.runtime.db.rows('SELECT 1 / 0'))).rejects.toThrow('division');
    },
    limitMs,
  );

  it(
    'does not get what a read began and did not wait for',
    async () => {
      await served();
      let later: Promise<object[]> = Promise.resolve([]);
      await desk.runtime.replica?.read('test.later', () => {
        later = new Promise((resolve) => setTimeout(resolve, 200)).then(() =>
          desk.runtime.db.rows('SELECT pg_is_in_recovery() AS standby'),
        );
        return Promise.resolve();
      });
      expect(await later).toEqual([{ standby: false }]);
    },
    limitMs,
  );
});
