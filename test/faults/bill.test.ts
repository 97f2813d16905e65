import { billOf } from '../../dev/sandbox/wire/prices';
import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { ownerSession } from '../factories/macros';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';

type Json = Record<string, unknown>;

const recipients = 34_000;
const firstPhone = 4_917_000_000_000;

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ worker: true });
});
afterAll(() => desk.close());

it("a hundred thousand statuses in disorder, a third of them twice, end as the platform's bill", async () => {
  const { workspace, sandbox, runtime } = desk;
  const { phoneNumberId: number, businessAccountId } = workspace.account;
  Object.assign(sandbox.settings, {
    duplicate: 0.33,
    reorder: true,
    throughput: false,
    pair_rate: false,
    status_delay_ms: 5,
    keep_bodies: false,
  });
  await runtime.db.rows('UPDATE phone_numbers SET throughput_mps = 1000 WHERE workspace_id = $id', {
    id: workspace.id,
  });
  await insertContacts(workspace, recipients, firstPhone);
  // Some came by an ad and cost nothing, some fail, some are sent and never arrive.
  for (let index = 0; index < recipients; index += 7)
    sandbox.state.addUser(businessAccountId, { phone: String(firstPhone + index) }).referrals = {
      [number]: Date.now(),
    };
  sandbox.faults.add({ kind: 'async_error', ratio: 0.04 });
  sandbox.faults.add({ kind: 'sent_only', ratio: 0.04 });

  const id = await createBroadcast(workspace);
  expect((await desk.api.post(`/api/v1/broadcasts/${id}/confirm/`)).status).toBe(200);
  const patient = { timeoutMs: 600_000, everyMs: 1_000 };
  await eventually(async () => {
    const { body } = await desk.api.get(`/api/v1/broadcasts/${id}/`);
    expect(body).toMatchObject({ status: 'completed' });
  }, patient);
  await eventually(async () => expect(await sandbox.settle()).toBe(true), patient);
  await eventually(
    async () =>
      expect(await runtime.db.row(`SELECT 1 AS new FROM inbox_events WHERE state = 'new' LIMIT 1`)).toBeNull(),
    patient,
  );

  const statuses = sandbox.state.sent.reduce((sum, record) => sum + record.statuses.length, 0);
  expect(statuses * 1.3).toBeGreaterThan(100_000);
  const { api } = await ownerSession(workspace);
  const from = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const { body } = await api.get<Json[]>(`/api/v1/usage/?from=${from}&group_by=category`);
  const sum = (key: string): number => body.reduce((total, row) => total + Number(row[key]), 0);
  const bill = billOf(sandbox.state, number);
  expect({ messages: sum('messages'), billable: sum('billable') }).toEqual({
    messages: bill['messages'],
    billable: bill['billable'],
  });
  expect(Number(bill['billable'])).toBeGreaterThan(20_000);
}, 900_000);
