import { readBacklog } from '../../api/services/processes/maintenance/backlog';
import { broadcastStart } from '../../workflows/starts';
import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { createCustomer } from '../factories/customers';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { workflowOf } from '../support/workflows';

type Json = Record<string, unknown>;
const path = '/api/v1/broadcasts/';
const recipients = 300;
const outageMs = 60_000;
const code = 131000;

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ worker: true });
});
afterAll(() => desk.close());

const metrics = async (): Promise<string> => (await fetch(`${desk.url}/metrics`)).text();

it('a platform that refuses everything is told, what it refused waits, and all of it goes out once', async () => {
  const { workspace } = desk;
  const customer = createCustomer(workspace);
  await customer.writes('Where is my parcel?');
  await insertContacts(workspace, recipients, 4_917_600_000_000);
  const id = await createBroadcast(workspace);
  desk.sandbox.faults.add({ kind: 'error', code, status: 503 });
  const began = Date.now();
  expect((await desk.api.post(`${path}${id}/confirm/`)).status).toBe(200);
  const reply = await desk.api.post('/api/v1/messages/', { to: customer.phone, body: 'It comes tomorrow.' });
  expect([reply.status, reply.body['message_status']]).toEqual([201, 'queued']);

  // It names the code where an operator looks: in the workflow, and in the figures that alerts ask for.
  const handle = workflowOf(desk.runtime, broadcastStart(workspace.id, id).id);
  await eventually(
    async () =>
      expect(await handle.query('progress')).toMatchObject({
        waiting: expect.stringContaining(String(code)) as string,
      }),
    { timeoutMs: outageMs },
  );
  const refused = new RegExp(`msgdesk_platform_calls_total{outcome="retry",code="${code}",lane="(\\w+)"} [1-9]`, 'g');
  await eventually(async () => {
    const lanes = [...(await metrics()).matchAll(refused)].map((match) => match[1]);
    expect(lanes.sort()).toEqual(['agent', 'bulk']);
  });
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, outageMs - (Date.now() - began))));
  const backlog = new Map((await readBacklog(desk.runtime)).map(({ name, oldestSeconds }) => [name, oldestSeconds]));
  expect(backlog.get('messages_waiting')).toBeGreaterThan(outageMs / 2_000);
  const read = async (): Promise<Json> => (await desk.api.get(`${path}${id}/`)).body;
  expect(await read()).toMatchObject({ status: 'running', stats: { sent: 0, failed: 0, unknown: 0 } });
  expect(desk.sandbox.state.sent).toEqual([]);

  desk.sandbox.faults.clear();
  const patient = { timeoutMs: 4 * outageMs };
  await eventually(async () => expect(await read()).toMatchObject({ status: 'completed' }), patient);
  expect((await read())['stats']).toMatchObject({ failed: 0, unknown: 0 });
  await eventually(async () => {
    const { body } = await desk.api.get(`/api/v1/messages/${String(reply.body['id'])}/`);
    expect(['sent', 'delivered', 'read']).toContain(body['message_status']);
  }, patient);
  const people = desk.sandbox.state.sent.map(({ to }) => to);
  // The customer gets the reply and the broadcast, everybody else the broadcast.
  expect([people.length, new Set(people).size]).toEqual([recipients + 2, recipients + 1]);
}, 400_000);
