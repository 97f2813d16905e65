import { countHolds, fenceState, noteDatabaseWentBack } from '../../api/services/resources/accounts/fence';
import { createBroadcast, insertContacts, setThroughput } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';
import { adminJson } from '../support/cli';
import { eventually } from '../support/eventually';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ worker: true });
});
afterAll(() => desk.close());
afterEach(async () => {
  await desk.runtime.db.rows('DELETE FROM delivery_holds');
  await desk.runtime.db.rows('UPDATE delivery_fence SET database_identity = database_identity()');
});

const delivery = (...argv: string[]): Promise<Json> => adminJson(desk.test, 'delivery', ...argv);

/** Makes the database another one than that in which sending was allowed, as a restore does. */
const goBack = (): Promise<unknown> =>
  desk.runtime.db.rows("UPDATE delivery_fence SET database_identity = 'the one before/00000001'");

async function writer(workspace: TestWorkspace): Promise<TestCustomer> {
  const customer = createCustomer(workspace);
  await customer.writes('Hello');
  return customer;
}

async function send(workspace: TestWorkspace, customer: TestCustomer, body: string): Promise<number> {
  const answer = await workspace.api.post('/api/v1/messages/', {
    to: customer.phone,
    phone_number_id: workspace.account.phoneNumberId,
    body,
  });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const statusOf = async (id: number): Promise<unknown> =>
  (await desk.runtime.db.row<Json>('SELECT message_status FROM messages WHERE id = $id', { id }))?.['message_status'];

const callsTo = (phone: string): number =>
  desk.sandbox.state.sent.filter(({ to }) => String(to).replace('+', '') === phone.replace('+', '')).length;

/** Proves that what was accepted earlier had its chance: a message of another workspace went all the way meanwhile. */
async function othersGoOut(): Promise<void> {
  const other = await createWorkspace(desk);
  const customer = await writer(other);
  const id = await send(other, customer, 'I am not held');
  await eventually(async () => expect(await statusOf(id)).not.toBe('queued'));
}

describe('delivery hold', () => {
  it('holds one workspace and no other; what was accepted meanwhile goes out when it is resumed', async () => {
    const workspace = await createWorkspace(desk);
    const customer = await writer(workspace);
    await delivery('hold', '--workspace', String(workspace.id), '--reason', 'a complaint');
    const id = await send(workspace, customer, 'one');
    await othersGoOut();
    expect([await statusOf(id), callsTo(customer.phone)]).toEqual(['queued', 0]);
    expect(await delivery('list')).toMatchObject({
      database_went_back: false,
      holds: [{ workspace_id: workspace.id, phone_number_id: null, reason: 'a complaint' }],
    });
    // Without its options the hold stays, and is named.
    expect(await delivery('resume')).toMatchObject({
      was_held: false,
      holds_left: [{ workspace_id: workspace.id, reason: 'a complaint' }],
    });
    expect(await delivery('resume', '--workspace', String(workspace.id))).toMatchObject({
      was_held: true,
      holds_left: [],
    });
    await eventually(() => expect(callsTo(customer.phone)).toBe(1));
  });

  it('holds one phone number by the id that the platform gives it', async () => {
    const workspace = await createWorkspace(desk);
    const customer = await writer(workspace);
    await delivery('hold', '--number', workspace.account.phoneNumberId);
    const id = await send(workspace, customer, 'one');
    await othersGoOut();
    expect(await statusOf(id)).toBe('queued');
    expect(await countHolds(desk.runtime)).toBe(1);
    await delivery('resume', '--number', workspace.account.phoneNumberId);
    await eventually(() => expect(callsTo(customer.phone)).toBe(1));
  });

  it('refuses a workspace or number that does not exist', async () => {
    await expect(delivery('hold', '--workspace', '999999')).rejects.toThrow('There is no workspace 999999.');
    await expect(delivery('hold', '--number', '999')).rejects.toThrow('There is no phone number 999.');
  });

  it('pauses a broadcast in the middle, and each recipient hears of it once', async () => {
    const workspace = await createWorkspace(desk);
    // Half a minute for the hold to come in between, however busy the machine is.
    await setThroughput(workspace, 10);
    await insertContacts(workspace, 300, 4_917_700_000_000);
    const id = await createBroadcast(workspace);
    expect((await workspace.api.post(`/api/v1/broadcasts/${id}/confirm/`)).status).toBe(200);
    const sentBy = (): number =>
      desk.sandbox.state.sent.filter(({ to }) => String(to).replace('+', '').startsWith('4917700000')).length;
    await eventually(() => expect(sentBy()).toBeGreaterThan(5));
    await delivery('hold');
    // Calls that were under way end; from then on nothing moves, which a minute of waiting would not show better.
    let last = -1;
    await eventually(
      () => {
        const now = sentBy();
        const still = now === last;
        last = now;
        expect(still).toBe(true);
      },
      { everyMs: 1_500 },
    );
    expect(last).toBeLessThan(300);
    await setThroughput(workspace, 80);
    await delivery('resume');
    await eventually(
      async () => expect((await workspace.api.get(`/api/v1/broadcasts/${id}/`)).body['status']).toBe('completed'),
      { timeoutMs: 60_000 },
    );
    const phones = desk.sandbox.state.sent.map(({ to }) => String(to)).filter((to) => to.includes('4917700000'));
    expect([phones.length, new Set(phones).size]).toEqual([300, 300]);
  });
});

describe('a database that went back in time', () => {
  it('holds everything until the operator says since when sends are unknown; none of those is sent again', async () => {
    const workspace = await createWorkspace(desk);
    const customer = await writer(workspace);
    await goBack();
    const before = await send(workspace, customer, 'sent before the restore, perhaps');
    await noteDatabaseWentBack(desk.runtime);
    const after = await send(workspace, customer, 'accepted during the hold');
    await expect(delivery('resume')).rejects.toThrow('--unknown-since');
    expect([await statusOf(before), await statusOf(after), callsTo(customer.phone)]).toEqual(['queued', 'queued', 0]);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(await delivery('resume', '--unknown-since', since)).toMatchObject({ was_held: true, unknown_messages: 1 });
    await eventually(async () => expect(await statusOf(after)).not.toBe('queued'));
    expect([await statusOf(before), callsTo(customer.phone)]).toEqual(['unknown', 1]);
    expect(await delivery('list')).toEqual({ database_went_back: false, holds: [] });
  });

  it('sends nothing that was accepted under a hold which came with the copy and may have ended since', async () => {
    const workspace = await createWorkspace(desk);
    const customer = await writer(workspace);
    await delivery('hold');
    const id = await send(workspace, customer, 'sent after that hold, perhaps');
    await goBack();
    await noteDatabaseWentBack(desk.runtime);
    const since = new Date(Date.now() + 1).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await delivery('resume', '--unknown-since', since)).toMatchObject({ unknown_messages: 1 });
    expect([await statusOf(id), callsTo(customer.phone)]).toEqual(['unknown', 0]);
  });

  it('lets everything go on after a failover that lost nothing', async () => {
    const workspace = await createWorkspace(desk);
    const customer = await writer(workspace);
    await goBack();
    const id = await send(workspace, customer, 'not sent yet');
    expect(await delivery('resume', '--nothing-lost')).toMatchObject({ unknown_messages: 0 });
    await eventually(async () => expect(await statusOf(id)).not.toBe('queued'));
    expect(callsTo(customer.phone)).toBe(1);
  });

  it('makes waiting recipients unknown, and fails a broadcast whose time lay in the lost span', async () => {
    const workspace = await createWorkspace(desk);
    await insertContacts(workspace, 40, 4_917_800_000_000);
    const running = await createBroadcast(workspace);
    const scheduled = await createBroadcast(workspace, { name: 'Later' });
    const queued = await createBroadcast(workspace, { name: 'After the running one' });
    await goBack();
    expect(
      (
        await workspace.api.post(`/api/v1/broadcasts/${scheduled}/confirm/`, {
          scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
        })
      ).status,
    ).toBe(200);
    // As the backup has them: one was running, the other's time had come when the backup was already taken.
    await desk.runtime.db.rows(
      `UPDATE broadcasts SET status = 'running', confirmed_at = now() - interval '5 minutes',
        scheduled_at = now() - interval '5 minutes',
         started_at = now() - interval '5 minutes', resolved_at = now() WHERE id = $running`,
      { running },
    );
    await desk.runtime.db.rows(
      `INSERT INTO broadcast_recipients (broadcast_id, position, workspace_id, contact_id, state)
       SELECT $running, row_number() OVER (), workspace_id, id, 'pending' FROM contacts
         WHERE workspace_id = $workspaceId`,
      { running, workspaceId: workspace.id },
    );
    await desk.runtime.db.rows(
      "UPDATE broadcasts SET scheduled_at = now() - interval '1 minute', version = version + 1 WHERE id = $scheduled",
      { scheduled },
    );
    // It waited for its turn at the number, which it may have had since.
    await desk.runtime.db.rows(
      `UPDATE broadcasts SET status = 'running', confirmed_at = now() - interval '4 minutes',
         started_at = now() - interval '4 minutes' WHERE id = $queued`,
      { queued },
    );
    await noteDatabaseWentBack(desk.runtime);
    const since = new Date(Date.now() - 600_000).toISOString();
    expect(await delivery('resume', '--unknown-since', since)).toMatchObject({
      unknown_recipients: 40,
      failed_broadcasts: 2,
      ended_waits: [],
    });
    await eventually(
      async () => expect((await workspace.api.get(`/api/v1/broadcasts/${running}/`)).body['status']).toBe('completed'),
      { timeoutMs: 60_000 },
    );
    const { body } = await workspace.api.get(`/api/v1/broadcasts/${scheduled}/`);
    expect(body).toMatchObject({
      status: 'failed',
      failure_reason: 'It may have been sent before the database was restored.',
    });
    expect((await workspace.api.get(`/api/v1/broadcasts/${queued}/`)).body['status']).toBe('failed');
    expect(desk.sandbox.state.sent.filter(({ to }) => String(to).includes('4917800000'))).toEqual([]);
  });

  it('is not noticed in the database that it was', async () => {
    expect(await fenceState(desk.runtime)).toEqual({ wentBack: false, cameUp: false });
    await expect(delivery('resume', '--workspace', '999999', '--nothing-lost')).rejects.toThrow(
      'There is no workspace 999999.',
    );
    await expect(
      delivery('resume', '--workspace', String(desk.workspace.id), '--unknown-since', '2026-01-01T00:00:00Z'),
    ).rejects.toThrow('as a whole');
  });
});
