import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { movedClock } from '../support/clock';
import { startReceiver, type Received, type Receiver } from '../support/receiver';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

const path = '/api/v1/webhooks/';
let desk: TestApi;
let receiver: Receiver;
let aheadMs = 0;
beforeAll(async () => {
  desk = await sharedDesk('plain', { clock: movedClock(() => new Date(Date.now() + aheadMs)) });
});
afterAll(() => desk.close());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  const { body } = await desk.api.get<Json[]>(path);
  for (const { id } of body) await desk.api.delete(`${path}${String(id)}/`);
  await receiver.close();
});

/** Does what waits, and returns the first event of a type that the receiver was told. */
async function told(type: string): Promise<Received['event']> {
  await desk.work();
  const found = receiver.events().find((event) => event.type === type);
  if (!found)
    throw new Error(
      `${type} is not among ${receiver
        .events()
        .map((event) => event.type)
        .join(', ')}`,
    );
  return found;
}

async function subscribe(events: readonly string[] = ['*'], more: Json = {}): Promise<{ id: number; secret: string }> {
  const { status, body } = await desk.api.post(path, { url: receiver.url, events, ...more });
  expect(status).toBe(201);
  return { id: body.id, secret: String(body['secret']) };
}

async function deliveries(id: number, query = ''): Promise<Json[]> {
  const { status, body } = await desk.api.get<{ results: Json[] }>(`${path}${id}/deliveries/${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.results;
}

describe('events reach those who subscribe', () => {
  it('signed, with the object as its GET shows it and a sequence without gaps', async () => {
    const { id, secret } = await subscribe();
    const anna = createCustomer(desk.workspace, { name: 'Anna' });
    await anna.writes('Hi');
    const event = await told('message.received');
    const { body } = await desk.api.get<{ results: Json[] }>(`/api/v1/conversations/${anna.handle}/messages/`);
    expect(event.data).toEqual(body.results[0]);
    expect(event.workspace_id).toBe(desk.workspace.id);

    await desk.api.patch(`/api/v1/conversations/${anna.handle}/`, { priority: 'high' });
    const updated = await told('conversation.updated');
    expect(updated.changes).toEqual({ priority: { from: expect.any(String), to: 'high' } });
    const got = await desk.api.get(`/api/v1/conversations/${anna.handle}/`);
    expect(updated.data).toEqual(got.body);

    for (const request of receiver.received) {
      receiver.verify(request, secret);
      expect(request.headers['webhook-id']).toBe(request.event.id);
    }
    const sequences = receiver
      .events()
      .map(({ sequence }) => sequence)
      .sort((left, right) => left - right);
    expect(sequences).toEqual([1, 2, 3, 4].slice(0, sequences.length));
    expect(receiver.events().map(({ type }) => type)).toEqual(
      expect.arrayContaining(['contact.created', 'conversation.created', 'message.received', 'conversation.updated']),
    );
    expect((await deliveries(id)).map(({ status }) => status)).toEqual(Array(sequences.length).fill('delivered'));
  });

  it('of the chosen types only, and of the own workspace only', async () => {
    await subscribe(['ticket.created']);
    await createContact(desk.workspace);
    await createTicket(desk.workspace);
    await told('ticket.created');
    expect(receiver.events().map(({ type }) => type)).toEqual(['ticket.created']);
  });

  it('again after a failure, with the same id and a fresh timestamp', async () => {
    const { id, secret } = await subscribe(['contact.created']);
    let down = true;
    receiver.answer = () => ({ status: down ? 500 : 200 });
    await createContact(desk.workspace);
    await desk.work();
    expect((await deliveries(id))[0]).toMatchObject({ attempts: 1, status: 'pending' });
    const [failed] = await deliveries(id, '?status=pending');
    expect(failed).toMatchObject({ last_status_code: 500, last_error: 'The receiver answered with status 500.' });
    const sentAt = Number(receiver.received[0]?.headers['webhook-timestamp']) * 1_000;
    expect(Date.parse(String(failed?.['next_attempt_at'])) - sentAt).toBeGreaterThan(4_000);
    down = false;
    aheadMs += 12_000;
    await desk.work();
    expect((await deliveries(id))[0]).toMatchObject({ attempts: 2, status: 'delivered', last_error: '' });
    expect(receiver.received.map(({ event }) => event.id)).toEqual(Array(2).fill(receiver.received[0]?.event.id));
    const [first, second] = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(8);
    for (const request of receiver.received) receiver.verify(request, secret);
  });

  it('signed with every secret that was replaced within a day', async () => {
    const { id, secret } = await subscribe(['contact.created']);
    const { body: lost } = await desk.api.post(`${path}${id}/rotate-secret/`, {});
    const { body } = await desk.api.post(`${path}${id}/rotate-secret/`, {});
    expect(new Set([secret, lost['secret'], body['secret']]).size).toBe(3);
    await createContact(desk.workspace);
    await told('contact.created');
    const [request] = receiver.received;
    if (!request) throw new Error('nothing came');
    for (const known of [secret, lost['secret'], body['secret']]) receiver.verify(request, String(known));
  });
});

describe('what a receiver says', () => {
  it('410 deactivates the subscription, and tells why', async () => {
    const { id } = await subscribe(['contact.created']);
    receiver.answer = () => ({ status: 410 });
    await createContact(desk.workspace);
    await desk.work();
    expect((await desk.api.get(`${path}${id}/`)).body).toMatchObject({
      is_active: false,
      disabled_reason: 'The receiver answered 410 Gone.',
    });
    expect((await deliveries(id))[0]).toMatchObject({ status: 'failed', last_status_code: 410, next_attempt_at: null });
    await createContact(desk.workspace);
    const notice = await desk.runtime.db.row(
      `SELECT data FROM events WHERE workspace_id = $workspaceId AND kind = 'webhook_disabled'`,
      { workspaceId: desk.workspace.id },
    );
    expect(notice).toMatchObject({ data: { subscription_id: id, url: receiver.url } });
    expect(await deliveries(id)).toHaveLength(1);
  });

  it('429 with Retry-After holds everything until then', async () => {
    const { id } = await subscribe(['contact.created']);
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    await createContact(desk.workspace);
    await desk.work();
    expect((await deliveries(id))[0]).toMatchObject({ attempts: 1 });
    const [held] = await deliveries(id);
    expect(Date.parse(String(held?.['next_attempt_at'])) - Date.now()).toBeGreaterThan(3_500_000);
    receiver.answer = () => ({ status: 200 });
    await createContact(desk.workspace);
    await desk.work();
    expect(await deliveries(id)).toHaveLength(2);
    expect(receiver.received).toHaveLength(1);
  });

  it('a redirect is not followed and does not deliver', async () => {
    const elsewhere = await startReceiver();
    try {
      const { id } = await subscribe(['contact.created']);
      receiver.answer = () => ({ status: 302, headers: { location: elsewhere.url } });
      await createContact(desk.workspace);
      await desk.work();
      expect((await deliveries(id))[0]).toMatchObject({ status: 'pending', last_status_code: 302 });
      expect(elsewhere.received).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });
});

describe('a subscription that is not active', () => {
  it('gets nothing, later either, but by replay', async () => {
    const { id } = await subscribe(['contact.created'], { is_active: false });
    await createContact(desk.workspace);
    const tested = await desk.api.post(`${path}${id}/test/`, {});
    expect(tested.body).toMatchObject({ type: 'webhook.test', status: 'pending' });
    const test = await told('webhook.test');
    expect(test).toMatchObject({ sequence: 0, data: { subscription_id: id } });
    await desk.api.patch(`${path}${id}/`, { is_active: true });
    await createContact(desk.workspace);
    await told('contact.created');
    expect(receiver.events()).toHaveLength(2);

    const { created_at } = (await desk.api.get(`${path}${id}/`)).body;
    const { status, body } = await desk.api.post(`${path}${id}/replay/`, { from: created_at });
    expect([status, body]).toEqual([200, { replayed: 2 }]);
    await desk.work();
    expect(receiver.events()).toHaveLength(3);
    await desk.work();
    expect(receiver.received).toHaveLength(4);
  });

  it('redelivers with the same id once it is active', async () => {
    const { id } = await subscribe(['contact.created']);
    await createContact(desk.workspace);
    await told('contact.created');
    await desk.work();
    expect((await deliveries(id))[0]).toMatchObject({ status: 'delivered' });
    const [delivery] = await deliveries(id);
    const again = `${path}${id}/deliveries/${String(delivery?.['id'])}/redeliver/`;
    expect((await desk.api.post(again, {})).body).toMatchObject({ status: 'pending', attempts: 0 });
    await desk.work();
    expect(receiver.received).toHaveLength(2);
    expect(receiver.events()).toHaveLength(1);
    await desk.api.patch(`${path}${id}/`, { is_active: false });
    expect((await desk.api.post(again, {})).status).toBe(409);
  });
});
