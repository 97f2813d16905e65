import { rename, writeFile, rm } from 'node:fs/promises';
import { FormData } from 'undici';
import { freePorts } from '../../dev/lib/ports';
import { migrateDatabase } from '../../models/migrate';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createWorkspace } from '../factories/workspaces';
import { startAlerting, type Alerting } from '../support/alerting';
import { startApi, type TestApi } from '../support/api';
import { adminJson } from '../support/cli';
import { eventually } from '../support/eventually';
import { privatePostgres, type PrivatePostgres } from '../support/postgres';
import { describeWith } from '../support/programs';
import { privateTemporal, type PrivateTemporal } from '../support/temporal';
import { spawnApi, spawnWorker, type SpawnedProcess } from '../support/worker';

/*
 * Two API and two worker processes under Prometheus, with the shipped rules and inhibitions at twenty times their
 * pace, and one incident after the other: who rings, in which order, and whether it is quiet afterwards.
 */

const patient = { timeoutMs: 120_000, everyMs: 500 };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let server: PrivatePostgres;
let temporal: PrivateTemporal;
let desk: TestApi;
let customers: TestCustomer[];
let ports: { readonly api: readonly number[]; readonly worker: readonly number[] };
let apis: SpawnedProcess[];
let workers: SpawnedProcess[];
let alerting: Alerting;

const api = (index: number): Promise<SpawnedProcess> => spawnApi(desk.test, ports.api[index] ?? 0);
const worker = (index: number): Promise<SpawnedProcess> =>
  spawnWorker(desk.test, { WORKER_PORT: String(ports.worker[index]) });
const admin = (...argv: string[]): Promise<unknown> => adminJson(desk.test, ...argv);
const answer = async (customer: TestCustomer): Promise<number> =>
  (await desk.api.post('/api/v1/messages/', { to: customer.phone, body: 'Hello' })).status;

interface Incident {
  readonly name: string;
  /** Who rings, the first one first; nobody else. */
  readonly rings: readonly string[];
  /** What happens all the time, such as answers of the team. */
  readonly meanwhile?: (turn: number) => Promise<unknown>;
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

const picture = (): FormData => {
  const form = new FormData();
  form.append('file', new Blob([Buffer.from('%PDF-1.4\n%%EOF\n')], { type: 'application/pdf' }), 'a.pdf');
  return form;
};

const incidents: readonly Incident[] = [
  {
    name: 'one of two workers is killed',
    rings: ['ReplicaLost'],
    begin: async () => workers[1]?.kill(),
    end: async () => (workers[1] = await worker(1)),
  },
  {
    name: 'all workers are killed',
    rings: ['WorkersDown'],
    begin: () => Promise.all(workers.map((each) => each.kill())),
    end: async () => (workers = await Promise.all([worker(0), worker(1)])),
  },
  {
    name: 'all APIs are killed',
    rings: ['ApiDown'],
    begin: () => Promise.all(apis.map((each) => each.kill())),
    end: async () => (apis = await Promise.all([api(0), api(1)])),
  },
  {
    name: 'Temporal is away, while conversations are snoozed',
    rings: ['EngineDown'],
    begin: () => temporal.kill(),
    meanwhile: (turn) =>
      desk.api.patch(`/api/v1/conversations/${customers[turn % customers.length]?.handle}/`, {
        conv_status: 'snoozed',
        snoozed_until: new Date(Date.now() + 3_600_000).toISOString(),
      }),
    end: () => temporal.start(),
  },
  {
    name: 'PostgreSQL is away, while people go on asking',
    rings: ['DatabaseDown'],
    begin: () => server.crash(),
    meanwhile: () =>
      fetch(`http://127.0.0.1:${ports.api[0]}/api/v1/contacts/`, { headers: { authorization: 'Bearer x' } }),
    end: () => server.start(),
  },
  {
    name: 'the store of files is away',
    rings: ['FileStoreFails'],
    async begin() {
      const folder = desk.test.env['FILES_DIR'] ?? '';
      await rename(folder, `${folder}.away`);
      await writeFile(folder, '');
    },
    meanwhile: () =>
      fetch(`http://127.0.0.1:${ports.api[0]}/api/v1/media/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${desk.workspace.token}` },
        body: picture() as never,
      }),
    async end() {
      const folder = desk.test.env['FILES_DIR'] ?? '';
      await rm(folder);
      await rename(`${folder}.away`, folder);
    },
  },
  {
    name: 'the platform answers with errors',
    rings: ['PlatformRefuses'],
    begin: async () => desk.sandbox.faults.add({ kind: 'error', code: 131016, times: 10_000 }),
    meanwhile: (turn) =>
      fetch(`http://127.0.0.1:${ports.api[turn % 2]}/api/v1/messages/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${desk.workspace.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to: customers[turn % customers.length]?.phone, body: 'Hello' }),
      }),
    end: async () => desk.sandbox.faults.clear(),
  },
  {
    name: 'an access token is revoked',
    rings: ['SendersStopped'],
    async begin() {
      const revoked = await createWorkspace(desk);
      const customer = createCustomer(revoked);
      await customer.writes('Hello');
      desk.sandbox.faults.add({ kind: 'error', code: 190, to: customer.handle, times: 10_000 });
      await revoked.api.post('/api/v1/messages/', { to: customer.phone, body: 'Hello' });
    },
    async end() {
      desk.sandbox.faults.clear();
      await desk.runtime.db.rows('UPDATE business_accounts SET stopped_at = NULL, stopped_code = NULL');
    },
  },
  {
    name: 'an intent is set aside',
    rings: ['IntentsSetAside'],
    begin: () =>
      desk.runtime.db.rows(
        `INSERT INTO outbox (workspace_id, workflow, workflow_id, set_aside_at, error)
         VALUES ($id, 'snoozeTimer', 'poison', now(), 'INVALID_ARGUMENT')`,
        { id: desk.workspace.id },
      ),
    end: () => desk.runtime.db.rows('DELETE FROM outbox WHERE set_aside_at IS NOT NULL'),
  },
  {
    name: 'the operator holds sending, and an answer waits',
    rings: ['SendingHeld'],
    async begin() {
      await admin('delivery', 'hold', '--workspace', String(desk.workspace.id), '--reason', 'a test');
      const [customer] = customers;
      if (customer) await answer(customer);
    },
    end: () => admin('delivery', 'resume', '--workspace', String(desk.workspace.id)),
  },
];

describeWith(['prometheus'], 'under the shipped alerts', () => {
  beforeAll(async () => {
    // Sequelize says each time that it lets a broken connection go.
    jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    [server, temporal] = await Promise.all([privatePostgres(), privateTemporal()]);
    await migrateDatabase(server.url);
    desk = await startApi({
      env: { DATABASE_URL: server.url, TEMPORAL_ADDRESS: temporal.address, RATE_LIMIT_PER_MINUTE: '100000' },
    });
    desk.test.onClose(async () => {
      await Promise.all([server.close(), temporal.close()]);
    });
    customers = Array.from({ length: 20 }, () => createCustomer(desk.workspace));
    for (const customer of customers) await customer.writes('Hello');
    const [a = 0, b = 0, c = 0, d = 0] = await freePorts(4);
    ports = { api: [a, b], worker: [c, d] };
    apis = await Promise.all([api(0), api(1)]);
    workers = await Promise.all([worker(0), worker(1)]);
    const addresses = (of: readonly number[]): string[] => of.map((port) => `127.0.0.1:${port}`);
    // A figure that is told only once there was a request.
    for (const port of ports.api) await fetch(`http://127.0.0.1:${port}/api/v1/contacts/`);
    alerting = await startAlerting({ api: addresses(ports.api), worker: addresses(ports.worker) });
    desk.test.onClose(() => alerting.close());
    await eventually(async () => expect(await alerting.active()).toEqual([]), patient);
  });
  afterAll(() => desk?.close());

  it.each(incidents)(
    '$name: $rings',
    async ({ rings, begin, meanwhile, end }) => {
      alerting.forget();
      let rung: readonly string[] = [];
      let isOver = false;
      let goingOn: Promise<void> | undefined;
      try {
        await begin();
        goingOn = (async () => {
          for (let turn = 0; meanwhile && !isOver; turn += 1) {
            await meanwhile(turn).catch(() => undefined);
            await pause(200);
          }
        })();
        await eventually(() => expect(alerting.rung()).toEqual(expect.arrayContaining([...rings])), patient);
        // Who would ring besides has nearly three minutes for it.
        await pause(8_000);
        // Work that waited takes its own time afterwards, which no rule can hurry.
        rung = alerting.rung();
      } finally {
        isOver = true;
        await goingOn;
        await end();
      }
      await eventually(async () => expect(await alerting.active()).toEqual([]), patient);
      expect(rung).toEqual(rings);
    },
    600_000,
  );
});
