import { broadcastStart } from '../../workflows/starts';
import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { createCustomer } from '../factories/customers';
import { startApi, type TestApi } from '../support/api';
import { watchAlerts } from '../support/alerts';
import { eventually } from '../support/eventually';
import { freePorts } from '../../dev/lib/ports';
import { spawnWorker } from '../support/worker';
import { workflowOf } from '../support/workflows';

type Json = Record<string, unknown>;
const path = '/api/v1/broadcasts/';
const recipients = 300;
const outageMs = 240_000;
/** As Prometheus usually does. */
const scrapeEveryMs = 15_000;
const code = 131000;

let desk: TestApi;
let workerPort: number;
beforeAll(async () => {
  desk = await startApi();
  const [port] = await freePorts(1);
  workerPort = port ?? 0;
  await spawnWorker(desk.test, { HOST: '127.0.0.1', WORKER_PORT: String(workerPort) });
});
afterAll(() => desk.close());

const pageOf = async (origin: string): Promise<string> => (await fetch(`${origin}/metrics`)).text();
const workerPage = (): Promise<string> => pageOf(`http://127.0.0.1:${workerPort}`);

it('four minutes of refusals ring, what was refused waits, and all of it goes out once', async () => {
  const { workspace } = desk;
  const alerts = watchAlerts();
  let firing: readonly string[] = [];
  const scrape = async (): Promise<void> => {
    const pages = { api: await pageOf(desk.url), worker: await workerPage() };
    firing = alerts.scraped({ atMs: Date.now(), pages });
  };
  await scrape();
  const timer = setInterval(() => void scrape().catch(() => undefined), scrapeEveryMs);
  desk.test.onClose(async () => clearInterval(timer));
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
  const refused = new RegExp(`msgdesk_platform_calls_total{outcome="retry",code="${code}",rank="(\\w+)"} [1-9]`, 'g');
  await eventually(async () => {
    const ranks = [...(await workerPage()).matchAll(refused)].map((match) => match[1]);
    expect(ranks.sort()).toEqual(['mass', 'people']);
  });
  // It rings, and nothing else does.
  const patient = { timeoutMs: 4 * outageMs };
  await eventually(() => expect(firing).toEqual(['PlatformRefuses']), patient);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, outageMs - (Date.now() - began))));
  const read = async (): Promise<Json> => (await desk.api.get(`${path}${id}/`)).body;
  expect(await read()).toMatchObject({ status: 'running', stats: { sent: 0, failed: 0, unknown: 0 } });
  expect(desk.sandbox.state.sent).toEqual([]);

  desk.sandbox.faults.clear();
  await eventually(async () => expect(await read()).toMatchObject({ status: 'completed' }), patient);
  expect((await read())['stats']).toMatchObject({ failed: 0, unknown: 0 });
  await eventually(async () => {
    const { body } = await desk.api.get(`/api/v1/messages/${String(reply.body['id'])}/`);
    expect(['sent', 'delivered', 'read']).toContain(body['message_status']);
  }, patient);
  // It ends when the platform takes everything again.
  await eventually(() => expect(firing).toEqual([]), patient);
  // An answer whose last refused try came late waits up to five minutes more, and that rings rightly, too.
  expect([...alerts.fired].filter((alert) => alert !== 'MessagesWait')).toEqual(['PlatformRefuses']);
  const people = desk.sandbox.state.sent.map(({ to }) => to);
  // The customer gets the reply and the broadcast, everybody else the broadcast.
  expect([people.length, new Set(people).size]).toEqual([recipients + 2, recipients + 1]);
}, 1_500_000);
