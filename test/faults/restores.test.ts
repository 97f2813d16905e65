import { migrateDatabase } from '../../models/migrate';
import { reconcileStart } from '../../workflows/starts';
import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { startApi, type TestApi } from '../support/api';
import { adminJson } from '../support/cli';
import { eventually } from '../support/eventually';
import { privatePostgres, type PrivatePostgres } from '../support/postgres';
import { spawnWorker, type SpawnedProcess } from '../support/worker';
import { workflowOf } from '../support/workflows';

type Json = Record<string, unknown>;

const recipients = 600;
/** Slow enough that a copy of the database is made in the middle, on any machine. */
const perSecond = 5;
const long = { timeoutMs: 120_000 };
/** For what comes in seconds, and costs something to ask. */
const seldom = { ...long, everyMs: 500 };

/** Contract 16: a database that went back in time makes nobody hear a message again; the upstream here forgets none. */
describe('a database that loses what it knew', () => {
  let server: PrivatePostgres;
  let desk: TestApi;
  let worker: SpawnedProcess;
  let broadcastId: number;
  let waiting: TestCustomer;
  let waitingId: number;
  let knownAt: Date;

  beforeEach(async () => {
    server = await privatePostgres();
    await migrateDatabase(server.url);
    const first = 1_000 + Math.floor(Math.random() * 2_000_000_000);
    await server.sql(`ALTER TABLE workspaces ALTER COLUMN id RESTART WITH ${first}`);
    desk = await startApi({ env: { DATABASE_URL: server.url } });
    desk.test.onClose(() => server.close());
    worker = await spawnWorker(desk.test);
    await middleOfBroadcast();
  });
  afterEach(() => desk.close());

  const sent = (): string[] => desk.sandbox.state.sent.map(({ to }) => String(to).replace('+', ''));
  const toBroadcast = (): string[] => sent().filter((to) => to.startsWith('49187'));
  const sentTo = (customer: TestCustomer): number =>
    sent().filter((to) => to === customer.phone.replace('+', '')).length;
  const statusOf = async (id: number): Promise<unknown> =>
    (await desk.runtime.db.row<Json>('SELECT message_status FROM messages WHERE id = $id', { id }))?.['message_status'];

  async function reply(customer: TestCustomer, text: string): Promise<number> {
    const { status, body } = await desk.api.post('/api/v1/messages/', {
      to: customer.phone,
      phone_number_id: desk.workspace.account.phoneNumberId,
      body: text,
    });
    expect(status).toBe(201);
    return body.id;
  }

  const delivery = (...argv: string[]): Promise<Json> => adminJson(desk.test, 'delivery', ...argv);

  /** A broadcast under way, and a reply that the platform refuses for the moment. */
  async function middleOfBroadcast(): Promise<void> {
    const { workspace, runtime, sandbox } = desk;
    // The platform's word comes while the database is away, and afterwards: one status of each message does that.
    Object.assign(sandbox.settings, { statuses: ['delivered'] });
    await runtime.db.rows('UPDATE phone_numbers SET throughput_mps = $perSecond WHERE workspace_id = $id', {
      id: workspace.id,
      perSecond,
    });
    waiting = createCustomer(workspace);
    await waiting.writes('Hello');
    await insertContacts(workspace, recipients, 4_918_700_000_000);
    broadcastId = await createBroadcast(workspace, {
      audience: {
        receiver_ids: Array.from({ length: recipients }, (_unused, index) => String(4_918_700_000_000 + index)),
      },
    });
    expect((await workspace.api.post(`/api/v1/broadcasts/${broadcastId}/confirm/`)).status).toBe(200);
    await eventually(() => expect(toBroadcast().length).toBeGreaterThan(10), long);
    sandbox.faults.add({ kind: 'error', code: 131016, to: waiting.phone.replace('+', '') });
    waitingId = await reply(waiting, 'The platform does not take me yet');
    await eventually(async () =>
      expect(
        await runtime.db.row('SELECT attempts, delivery_state FROM messages WHERE id = $id', { id: waitingId }),
      ).toMatchObject({ delivery_state: 'queued' }),
    );
  }

  const word = (): Promise<Json | null> => desk.runtime.db.row<Json>('SELECT witness FROM delivery_fence');

  /** Waits until the database and Temporal have a new word, which comes each minute by itself. */
  async function newWord(): Promise<void> {
    const before = await word();
    await eventually(async () => {
      await workflowOf(desk.runtime, reconcileStart.id).signal('sweep');
      expect(await word()).not.toEqual(before);
    }, seldom);
  }

  /** Lets the old database go on with what the copy does not know, and dies in the middle of it. */
  async function goOnAndDie(): Promise<void> {
    knownAt = new Date();
    desk.sandbox.faults.clear();
    const before = toBroadcast().length;
    // A copy that is younger than the last two words, two minutes at most, is taken for the database.
    await newWord();
    await newWord();
    await eventually(() => {
      expect(sentTo(waiting)).toBe(1);
      expect(toBroadcast().length).toBeGreaterThan(before + 20);
    }, long);
    await server.crash();
    expect(toBroadcast().length).toBeLessThan(recipients);
  }

  async function isHeld(): Promise<void> {
    await eventually(async () => {
      const { database_went_back: wentBack, holds } = await delivery('list');
      expect([wentBack, holds]).toEqual([true, [expect.objectContaining({ workspace_id: null })]]);
    }, seldom);
  }

  async function nobodyTwice(): Promise<void> {
    const accepted = await reply(waiting, 'Written while everything is held');
    await expect(delivery('resume')).rejects.toThrow('--unknown-since');
    const resumed = await delivery('resume', '--unknown-since', knownAt.toISOString());
    expect(resumed['unknown_recipients']).toBeGreaterThan(0);
    await eventually(() => expect(sentTo(waiting)).toBe(2), long);
    await eventually(
      async () => expect((await desk.api.get(`/api/v1/broadcasts/${broadcastId}/`)).body['status']).toBe('completed'),
      seldom,
    );
    // Never again by us; the platform's word on the first time may have come meanwhile.
    expect(['unknown', 'sent', 'delivered', 'read']).toContain(await statusOf(waitingId));
    // The platform has it before the worker has recorded its answer.
    await eventually(async () => expect(await statusOf(accepted)).not.toBe('queued'), long);
    // By customer, and by our own id of the message.
    expect(new Set(toBroadcast()).size).toBe(toBroadcast().length);
    const opaque = desk.sandbox.state.sent.map((record) => record.opaque);
    expect(new Set(opaque).size).toBe(opaque.length);
  }

  it('restored from a base backup of the middle of a broadcast: held, and nobody is told twice', async () => {
    const copy = await server.backup();
    await goOnAndDie();
    await server.start(copy);
    await isHeld();
    await nobodyTwice();
  }, 400_000);

  it('restored while all workers were started anew: Temporal remembers what the database was', async () => {
    const copy = await server.backup();
    await goOnAndDie();
    await worker.kill();
    await server.start(copy);
    await spawnWorker(desk.test);
    await isHeld();
    await nobodyTwice();
  }, 400_000);

  it('a standby that was behind and is promoted: held, and nobody is told twice', async () => {
    const standby = await server.standby();
    await standby.caughtUp();
    await standby.cutOff();
    await goOnAndDie();
    await standby.promote();
    await server.start(standby.data);
    await isHeld();
    await nobodyTwice();
  }, 400_000);

  it('PostgreSQL that crashes and comes back as it was goes on by itself', async () => {
    await goOnAndDie();
    await server.start();
    await eventually(() =>
      desk.runtime.db.rows('UPDATE phone_numbers SET throughput_mps = 500 WHERE workspace_id = $id', {
        id: desk.workspace.id,
      }),
    );
    await eventually(
      async () => expect((await desk.api.get(`/api/v1/broadcasts/${broadcastId}/`)).body['status']).toBe('completed'),
      seldom,
    );
    expect(await delivery('list')).toEqual({ database_went_back: false, holds: [] });
    expect(new Set(toBroadcast()).size).toBeGreaterThan(recipients * 0.9);
    expect(new Set(toBroadcast()).size).toBe(toBroadcast().length);
  }, 400_000);
});
