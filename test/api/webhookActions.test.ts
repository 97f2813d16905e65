import { createCustomer, type TestCustomer } from '../factories/customers';
import { startApi, type TestApi } from '../support/api';
import type { ApiClient } from '../support/client';
import { eventually } from '../support/eventually';
import { startReceiver, type Receiver } from '../support/receiver';

type Json = Record<string, unknown>;

const path = '/api/v1/webhooks/';
let desk: TestApi;
let receiver: Receiver;
beforeAll(async () => {
  desk = await startApi({ worker: true, env: { WEBHOOK_ALLOW_PRIVATE: '1' } });
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

/** Subscribes to messages, answers the first with actions, and gives what became of them. */
async function answered(
  actions: unknown,
  scopes: readonly string[],
  api: ApiClient = desk.api,
): Promise<{ customer: TestCustomer; delivery: Json; log: Json; id: number }> {
  const { status, body } = await api.post(path, { url: receiver.url, events: ['message.received'], scopes });
  expect(status).toBe(201);
  const id = Number(body['id']);
  receiver.answer = () => ({ status: 200, body: JSON.stringify({ actions }) });
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  const delivery = await eventually(async () => {
    const log = await desk.api.get<{ results: Json[] }>(`${path}${id}/deliveries/?status=delivered`);
    const [first] = log.body.results;
    if (!first) throw new Error('not delivered yet');
    return first;
  });
  return { customer, delivery, log: delivery['actions'] as Json, id };
}

async function conversation(customer: TestCustomer): Promise<Json> {
  return (await desk.api.get(`/api/v1/conversations/${customer.handle}/`)).body;
}

async function sent(customer: TestCustomer): Promise<Json[]> {
  const { body } = await desk.api.get<{ results: Json[] }>(`/api/v1/conversations/${customer.handle}/messages/`);
  return body.results.filter(({ direction }) => direction === 'outbound');
}

const reply = { type: 'send_message', params: { body: 'We are on it.' } };
const prioritize = { type: 'set_priority', params: { priority: 'high' } };

describe('actions of an answer', () => {
  it('run once, like one macro, however often the event is sent', async () => {
    const { customer, delivery, log, id } = await answered([prioritize, reply], ['chat.assign', 'chat.send_message']);
    expect(log).toMatchObject({ status: 'applied', error: '', run_id: expect.any(Number) });
    expect(await conversation(customer)).toMatchObject({ priority: 'high' });
    expect(await sent(customer)).toHaveLength(1);
    await desk.api.post(`${path}${id}/deliveries/${String(delivery['id'])}/redeliver/`, {});
    await eventually(() => expect(receiver.received).toHaveLength(2));
    await eventually(async () => {
      const { body } = await desk.api.get<{ results: Json[] }>(`${path}${id}/deliveries/`);
      expect(body.results[0]).toMatchObject({ status: 'delivered', actions: log });
    });
    expect(await sent(customer)).toHaveLength(1);
  });

  it.each<[string, unknown, RegExp]>([
    ['one that is not valid', [prioritize, { type: 'set_priority', params: { priority: 'no' } }], /valid choice/],
    ['an unknown type', [prioritize, { type: 'explode' }], /valid choice/],
    ['a dry_run that is no boolean', [{ ...prioritize, dry_run: 'yes' }], /dry_run: Must be a valid boolean/],
    ['more than ten', Array(11).fill(prioritize), /no more than 10/],
    ['no list', { type: 'set_priority' }, /Expected a list/],
    [
      'one that is refused where it is done',
      [prioritize, { type: 'assign_member', params: { member: 999_999_999 } }],
      /Invalid pk/,
    ],
    ['one whose scope is missing', [prioritize, reply], /Missing scope: chat.send_message/],
  ])('apply nothing with %s', async (_name, actions, error) => {
    const { customer, log } = await answered(actions, ['chat.assign']);
    expect(log).toMatchObject({ status: 'refused', run_id: null });
    expect(log['error']).toMatch(error);
    expect(await conversation(customer)).not.toMatchObject({ priority: 'high' });
  });

  it('are only checked where they are dry runs', async () => {
    const { customer, log } = await answered([{ ...reply, dry_run: true }], ['chat.send_message']);
    expect(log).toMatchObject({
      status: 'checked',
      steps: [{ type: 'send_message', dry_run: true, status: 'checked' }],
    });
    expect(await sent(customer)).toEqual([]);
  });

  it('do no more than the key that made the subscription still may', async () => {
    const key = await desk.workspace.key(['webhook.manage', 'chat.assign']);
    const made = await key.api.post(path, { url: receiver.url, events: ['*'], scopes: ['chat.send_message'] });
    expect(made.status).toBe(403);
    receiver.answer = () => ({ status: 200, body: JSON.stringify({ actions: [prioritize] }) });
    const { body } = await key.api.post(path, {
      url: receiver.url,
      events: ['message.received'],
      scopes: ['chat.assign'],
    });
    await desk.runtime.db.rows(
      'UPDATE api_keys SET revoked_at = now() WHERE workspace_id = $workspaceId AND id = $id',
      {
        workspaceId: desk.workspace.id,
        id: key.id,
      },
    );
    await createCustomer(desk.workspace).writes('Hi');
    const log = await eventually(async () => {
      const { results } = (await desk.api.get<{ results: Json[] }>(`${path}${String(body['id'])}/deliveries/`)).body;
      expect(results[0]).toMatchObject({ status: 'delivered' });
      return results[0]?.['actions'] as Json;
    });
    expect(log['error']).toMatch(/Missing scope: chat.assign/);
  });

  it('wait for approval where they send and the key may not', async () => {
    const key = await desk.workspace.key(['all'], { autonomy: 'approval' });
    const { customer, log } = await answered([prioritize, reply], ['chat.assign', 'chat.send_message'], key.api);
    expect(log).toMatchObject({
      status: 'applied',
      steps: [
        { type: 'set_priority', status: 'applied' },
        { type: 'send_message', status: 'parked', approval_id: expect.any(Number) },
      ],
    });
    expect(await conversation(customer)).toMatchObject({ priority: 'high' });
    expect(await sent(customer)).toEqual([]);
  });
});

describe('who may change a subscription', () => {
  it('a credential that holds as much as it does', async () => {
    const { body } = await desk.api.post(path, { url: receiver.url, events: ['*'], scopes: ['chat.assign'] });
    const one = `${path}${String(body['id'])}/`;
    const key = await desk.workspace.key(['webhook.manage']);
    expect((await key.api.patch(one, { url: `${receiver.url}/other` })).status).toBe(403);
    expect((await key.api.post(`${one}rotate-secret/`, {})).status).toBe(403);
    expect((await key.api.delete(one)).status).toBe(403);
    expect((await key.api.get(one)).status).toBe(200);
    const none = await desk.workspace.key(['chat.view']);
    expect((await none.api.get(path)).status).toBe(403);
  });
});
