import { createContact } from '../factories/contacts';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { startReceiver, type Receiver } from '../support/receiver';
import { spawnWorker } from '../support/worker';

type Json = Record<string, unknown>;

const path = '/api/v1/webhooks/';
/** Temporal notices within 10 s that a round's worker is gone. */
const patient = { timeoutMs: 70_000 };

describe('a worker that is killed while it delivers events', () => {
  let desk: TestApi;
  let receiver: Receiver;
  const env = { WEBHOOK_ALLOW_PRIVATE: '1' };
  beforeAll(async () => {
    desk = await startApi({ env });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await desk.close();
    await receiver.close();
  });

  it('is followed by one that sends again what was not recorded, with the same id, and the rest once', async () => {
    const created = await desk.api.post(path, { url: receiver.url, events: ['contact.created'] });
    const id = created.body.id;
    const secret = String(created.body['secret']);
    // The first event is answered at once, those after it never: the worker dies during these calls.
    receiver.answer = () => (receiver.received.length === 1 ? { status: 200 } : () => undefined);
    const doomed = await spawnWorker(desk.test, env);
    await createContact(desk.workspace);
    const delivered = async (): Promise<Json[]> =>
      (await desk.api.get(`${path}${id}/deliveries/?status=delivered`)).body.results;
    await eventually(async () => expect(await delivered()).toHaveLength(1), patient);
    for (let count = 0; count < 3; count += 1) await createContact(desk.workspace);
    await eventually(() => expect(receiver.events()).toHaveLength(4), patient);
    await doomed.kill('SIGKILL');

    const [known, ...open] = receiver.events().map((event) => event.id);
    const before = receiver.received.length;
    receiver.answer = () => ({ status: 200 });
    await spawnWorker(desk.test, env);
    await eventually(async () => expect(await delivered()).toHaveLength(4), patient);
    const again = receiver.received.slice(before).map(({ event }) => event.id);
    expect([...again].sort()).toEqual([...open].sort());
    expect(again).not.toContain(known);
    // The same event to the letter, signed anew.
    for (const request of receiver.received) {
      receiver.verify(request, secret);
      expect(request.headers['webhook-id']).toBe(request.event.id);
      expect(request.body).toBe(receiver.received.find(({ event }) => event.id === request.event.id)?.body);
    }
  });
});
