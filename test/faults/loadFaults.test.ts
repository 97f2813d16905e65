import path from 'node:path';
import pg from 'pg';
import { usualTiming } from '../../api/core/process';
import { migrateDatabase } from '../../models/migrate';
import { reconcileStart } from '../../workflows/starts';
import { startApi, type TestApi } from '../support/api';
import { startBalancer, type Balancer } from '../support/balancer';
import { eventually } from '../support/eventually';
import { startGate, type Gate } from '../support/gate';
import { startLoad, type Load } from '../support/load';
import { freePorts } from '../../dev/lib/ports';
import { privatePostgres, type PrivatePostgres } from '../support/postgres';
import { root } from '../support/settings';
import { itOnSmallDisk, smallDisk } from '../support/smallDisk';
import { privateTemporal, type PrivateTemporal } from '../support/temporal';
import { impatient } from '../support/timing';
import { spawnApi, spawnWorker, type SpawnedProcess } from '../support/worker';
import { workflowOf } from '../support/workflows';

/*
 * Two API and two worker processes behind a balancer, on servers of their own, under a small steady load, and one thing
 * after the other is taken away. All the time the clocks of one API and one worker are ten minutes ahead.
 */

const ahead = {
  NODE_OPTIONS: `--require ${path.join(root, 'test', 'support', 'shiftedClock.cjs')}`,
  CLOCK_SHIFT_MS: String(10 * 60_000),
};
/** Small, so that a moment's trouble exhausts it. */
const pools = { DATABASE_POOL: '5' };
const patient = { timeoutMs: 120_000, everyMs: 500 };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const disk = smallDisk(400);
let server: PrivatePostgres;
let temporal: PrivateTemporal;
let desk: TestApi;
let upstream: Gate;
let balancer: Balancer;
let apis: { readonly port: number; readonly env: Record<string, string>; process: SpawnedProcess }[];
let workers: SpawnedProcess[];

/** What is done to the system while the load goes on; the promise is fulfilled when it is over. */
const faults: readonly { readonly name: string; inject(load: Load): Promise<void> }[] = [
  { name: 'clocks ten minutes apart', inject: () => Promise.resolve() },
  {
    name: 'PostgreSQL restarted',
    async inject() {
      await server.stop();
      await server.start();
    },
  },
  {
    name: 'PostgreSQL ended at once, and back after two seconds',
    async inject() {
      await server.crash();
      await pause(2_000);
      await server.start();
    },
  },
  {
    name: 'no connection of PostgreSQL left',
    async inject(load) {
      const held: pg.Client[] = [];
      const open = async (): Promise<void> => {
        const client = new pg.Client({ connectionString: server.url });
        client.on('error', () => undefined);
        await client.connect();
        held.push(client);
      };
      await open();
      // All are cut, and taken before anybody else gets one.
      const taken = eventually(
        async () => {
          await Promise.all(Array.from({ length: 20 }, open)).catch(() => undefined);
          await held[0]?.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'msgdesk%'`,
          );
          expect(load.refusals.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
        },
        { ...patient, everyMs: 100 },
      );
      await taken;
      await Promise.all(held.map((client) => client.end()));
    },
  },
  {
    name: 'connection pools exhausted',
    async inject(load) {
      const holder = new pg.Client({ connectionString: server.url });
      await holder.connect();
      const before = load.refusals.length;
      await holder.query('BEGIN');
      // One table: who has one of two and waits for the other may be waited for by who has that.
      await holder.query(`SET LOCAL lock_timeout = '60s'; LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE`);
      await eventually(() => expect(load.refusals.length).toBeGreaterThan(before + 2), patient);
      await holder.query('ROLLBACK');
      await holder.end();
    },
  },
  {
    name: 'Temporal ended, and back after two seconds',
    async inject() {
      await temporal.kill();
      await pause(2_000);
      await temporal.start();
    },
  },
  {
    name: 'Temporal frozen for five seconds',
    async inject() {
      temporal.freeze();
      await pause(5_000);
      temporal.thaw();
    },
  },
  {
    name: 'an API and a worker killed',
    async inject() {
      const [api] = apis;
      const [worker] = workers;
      await Promise.all([api?.process.kill(), worker?.kill()]);
      await pause(1_000);
      if (api) api.process = await spawnApi(desk.test, api.port, api.env);
      workers[0] = await spawnWorker(desk.test, { ...pools, MSGAPP_API_URL: upstream.url });
    },
  },
  {
    name: 'the platform away for three attempts',
    async inject(load) {
      await upstream.shut();
      await eventually(async () => {
        const [most] = await desk.runtime.db.rows<{ attempts: number }>(
          `SELECT max(attempts) AS attempts FROM messages WHERE workspace_id = $id`,
          { id: load.workspace.id },
        );
        expect(most?.attempts).toBeGreaterThanOrEqual(3);
      }, patient);
      await upstream.open();
    },
  },
];

/** PostgreSQL refuses what needs room, or ends where its log does. */
async function fillDisk(load: Load, small: { fill(): Promise<void>; free(): Promise<void> }): Promise<void> {
  const before = load.refusals.length;
  await small.fill();
  await eventually(() => expect(load.refusals.length).toBeGreaterThan(before + 2), patient);
  await small.free();
  if (!server.isRunning()) await server.start();
}

const loads = new Map<string, Promise<Load>>();
const loadOf = async (name: string): Promise<Load> => {
  const load = await loads.get(name);
  if (!load) throw new Error('its load has not been started');
  return load;
};

async function under(name: string, inject: (load: Load) => Promise<void>): Promise<void> {
  const starting = startLoad(desk, { origin: balancer.url, firstPhone: 4_918_700_000_000 + loads.size * 1_000 });
  loads.set(name, starting);
  const load = await starting;
  try {
    await load.goesOn();
    await inject(load);
    await load.goesOn();
  } finally {
    // What was begun may end while the next thing happens: a key whose request was cut off is free after some seconds.
    load.stop().catch(() => undefined);
  }
}

async function after(name: string): Promise<void> {
  const load = await loadOf(name);
  await load.stop();
  const { temporal } = desk.runtime;
  await eventually(async () => expect(await temporal.probe()).toBe('up'), patient);
  const sweeps = workflowOf(desk.runtime, reconcileStart.id);
  await eventually(
    async () => {
      // Comes each minute by itself.
      await sweeps.signal('sweep').catch(() => undefined);
      await load.hasOutcomes();
    },
    { ...patient, everyMs: 2_000 },
  );
  expect(await load.faults()).toEqual([]);
}

beforeAll(async () => {
  // Sequelize says each time that it lets a broken connection go.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  [server, temporal] = await Promise.all([
    privatePostgres({
      ...(typeof disk === 'string' ? {} : { folder: disk.folder }),
      settings: { max_connections: '70', shared_buffers: '64MB', max_wal_size: '96MB', min_wal_size: '32MB' },
    }),
    privateTemporal(),
  ]);
  await migrateDatabase(server.url);
  desk = await startApi({
    timing: { ...impatient, connectionWaitMs: usualTiming.connectionWaitMs },
    env: { DATABASE_URL: server.url, TEMPORAL_ADDRESS: temporal.address },
  });
  desk.test.onClose(async () => {
    await Promise.all([server.close(), temporal.close()]);
    if (typeof disk !== 'string') await disk.close();
  });
  upstream = await startGate(desk.test.env['MSGAPP_API_URL'] ?? '');
  desk.test.onClose(() => upstream.shut());
  const [first = 0, second = 0, front = 0] = await freePorts(3);
  const plain = { ...pools, MSGAPP_API_URL: upstream.url };
  apis = await Promise.all(
    [
      { port: first, env: plain },
      { port: second, env: { ...plain, ...ahead } },
    ].map(async ({ port, env }) => ({ port, env, process: await spawnApi(desk.test, port, env) })),
  );
  workers = await Promise.all([spawnWorker(desk.test, plain), spawnWorker(desk.test, { ...plain, ...ahead })]);
  balancer = await startBalancer(
    front,
    apis.map(({ port }) => `http://127.0.0.1:${port}`),
  );
  desk.test.onClose(() => balancer.close());
});
afterAll(() => desk?.close());

describe('under load everything goes on with, and after,', () => {
  it.each(faults)('$name', ({ name, inject }) => under(name, inject));
  itOnSmallDisk(disk, 'a full disk', (small) => under('a full disk', (load) => fillDisk(load, small)));
});

describe('nothing is lost, nobody told twice, the order kept, and each refusal clear:', () => {
  it.each(faults)('$name', ({ name }) => after(name));
  itOnSmallDisk(disk, 'a full disk', () => after('a full disk'));
});
