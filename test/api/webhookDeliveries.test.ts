import { maxRunsPerHour } from '../../api/services/processes/webhookDelivery/loops';
import { templateId, twoValues } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { createPipeline, createTicket, pipelinesPath, ticketsPath } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';
import { startReceiver, type Received, type Receiver } from '../support/receiver';
import { workflowOf } from '../support/workflows';

type Json = Record<string, unknown>;

const path = '/api/v1/webhooks/';
let desk: TestApi;
let receiver: Receiver;
beforeAll(async () => {
  desk = await sharedDesk('worker');
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
  const id = body.id;
  receiver.answer = () => ({ status: 200, body: JSON.stringify({ actions }) });
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  await desk.work();
  const [delivery = {}] = await deliveries(id, '?status=delivered');
  return { customer, delivery, log: delivery['actions'] as Json, id };
}

async function deliveries(id: unknown, query = ''): Promise<Json[]> {
  return (await desk.api.get<{ results: Json[] }>(`${path}${String(id)}/deliveries/${query}`)).body.results;
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
    await desk.work();
    expect(receiver.received).toHaveLength(2);
    expect((await deliveries(id))[0]).toMatchObject({ status: 'delivered', actions: log });
    expect(await sent(customer)).toHaveLength(1);
  });

  it('of a later answer run where those of the first one were refused, also by their run', async () => {
    const { customer, delivery, id } = await answered([prioritize, reply], ['chat.assign']);
    expect(delivery['actions']).toMatchObject({ status: 'refused' });
    await desk.runtime.db.rows(
      `INSERT INTO macro_runs (workspace_id, actions, conversation_id, state, failed_step, actor_type, run_key)
       VALUES ($workspaceId, '[]', $contactId, 'failed', '{}', 'api_key', sha256($key::bytea))`,
      {
        workspaceId: desk.workspace.id,
        contactId: (await conversation(customer))['id'],
        key: `webhook/${id}/${String(delivery['event_id'])}`,
      },
    );
    receiver.answer = () => ({ status: 200, body: JSON.stringify({ actions: [prioritize] }) });
    await desk.api.post(`${path}${id}/deliveries/${String(delivery['id'])}/redeliver/`, {});
    await desk.work();
    expect(await conversation(customer)).toMatchObject({ priority: 'high' });
  });

  it('are a run that operators see, as a macro is', async () => {
    const { log } = await answered([prioritize], ['chat.assign']);
    const run = workflowOf(desk.runtime, `macro-run/${desk.workspace.id}/${String(log['run_id'])}`);
    expect(await run.result()).toEqual({ kind: 'applied', steps: 1 });
    expect((await run.describe()).status.name).toBe('COMPLETED');
  });

  it('are those of the first answer, where its process died before that was recorded', async () => {
    const { customer, delivery, log, id } = await answered([prioritize], ['chat.assign']);
    const forget = (): Promise<unknown> =>
      desk.runtime.db.rows('UPDATE webhook_deliveries SET actions = NULL WHERE workspace_id = $workspaceId', {
        workspaceId: desk.workspace.id,
      });
    const again = async (actions: unknown): Promise<unknown> => {
      await forget();
      receiver.answer = () => ({ status: 200, body: JSON.stringify({ actions }) });
      await desk.api.post(`${path}${id}/deliveries/${String(delivery['id'])}/redeliver/`, {});
      await desk.work();
      const [first = {}] = await deliveries(id);
      expect(first).toMatchObject({ status: 'delivered', actions: { run_id: log['run_id'] } });
      return first['actions'];
    };
    expect(await again([prioritize])).toEqual(log);
    const steps = (log['steps'] as Json[]).map(({ dry_run, ...step }) => ({ ...step, dry_run }));
    const other = { type: 'add_tags', params: { tags: ['late'] } };
    for (const actions of [[other, prioritize], [{ type: 'explode' }], [{ ...other, dry_run: true }]])
      expect(await again(actions)).toEqual({
        ...log,
        steps,
        error: 'An earlier answer to this event was taken; this one asked for something else.',
      });
    expect(await conversation(customer)).toMatchObject({ priority: 'high', tags: [] });
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

  it('are forgotten with the customer whom they name', async () => {
    const named = { type: 'send_message', params: { body: 'Hello Quaxilla Doe' } };
    const { customer } = await answered([named], ['chat.send_message']);
    const runs = (): Promise<unknown[]> =>
      desk.runtime.db.rows(`SELECT id FROM macro_runs WHERE to_jsonb(macro_runs)::text ~ 'Quaxilla'`);
    expect(await runs()).toHaveLength(1);
    expect((await desk.api.delete(`/api/v1/contacts/${customer.handle}/`)).status).toBe(204);
    expect(await runs()).toEqual([]);
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
    const key = await desk.workspace.key(['webhook.manage', 'chat.view', 'chat.assign']);
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
    await desk.work();
    expect((await deliveries(body['id']))[0]).toMatchObject({
      status: 'delivered',
      actions: { error: expect.stringMatching(/Missing scope: chat.assign/) as string },
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['a NUL', [{ type: 'add_tags', params: { tags: ['a\0b'] } }], /Null characters/],
    ['half a character', [{ type: 'add_tags', params: { tags: ['\ud800'] } }], /Surrogate characters/],
    [
      'endless nesting',
      [{ type: 'update_contact', params: { attributes: JSON.parse('['.repeat(500) + ']'.repeat(500)) as unknown } }],
      /nesting is too deep/,
    ],
    ['an own __proto__', JSON.parse('[{"type": "set_priority", "params": {"__proto__": {"priority": "high"}}}]'), /./],
    ['no list of objects', [null, 7, 'set_priority', []], /Expected an object/],
  ])('hold up nothing with %s', async (_name, actions, error) => {
    const { log, id } = await answered(actions, ['chat.assign', 'contact.edit']);
    expect(log).toMatchObject({ status: 'refused', error: expect.stringMatching(error) as string });
    receiver.answer = () => ({ status: 204 });
    await createCustomer(desk.workspace).writes('Next');
    await desk.work();
    expect(await deliveries(id, '?status=delivered')).toHaveLength(2);
  });

  it('are refused and logged where the service fails, and what comes behind is delivered', async () => {
    const { MacroRun } = desk.runtime.db.models;
    const fault = jest.spyOn(MacroRun, 'create').mockRejectedValue(new TypeError('a fault of ours'));
    try {
      const { log } = await answered([prioritize], ['chat.assign']);
      expect(log).toMatchObject({ status: 'refused', error: 'The actions met a fault of the service.' });
    } finally {
      fault.mockRestore();
    }
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

describe('actions on a ticket, of a key that may not send without approval', () => {
  /** A ticket of a customer in a pipeline whose second stage tells them. */
  async function notifiedTicket(): Promise<{ customer: TestCustomer; ticket: number; stages: number[] }> {
    const customer = createCustomer(desk.workspace);
    await customer.writes('Hi');
    const contact = (await desk.api.get(`/api/v1/contacts/${customer.handle}/`)).body;
    const pipeline = await createPipeline(desk.workspace, ['New', 'Told', 'Quiet']);
    const stages = pipeline.stages.map(({ id }) => id);
    const stage = await desk.api.patch(`${pipelinesPath}${pipeline.id}/stages/${stages[1] ?? 0}/`, {
      notify_template_id: templateId(desk.workspace, 'ticket_update'),
      notify_template_variables: twoValues,
    });
    expect(stage.status).toBe(200);
    const { id } = await createTicket(desk.workspace, { pipeline: pipeline.id, receiver: contact['id'] });
    return { customer, ticket: id, stages };
  }

  /** Answers the comment on a ticket with actions; gives the log. */
  async function commented(ticket: number, actions: unknown): Promise<Json> {
    const key = await desk.workspace.key(['all'], { autonomy: 'approval' });
    const { body } = await key.api.post(path, {
      url: receiver.url,
      events: ['ticket.commented'],
      scopes: ['ticket.manage'],
    });
    receiver.answer = () => ({ status: 200, body: JSON.stringify({ actions }) });
    await desk.api.post(`${ticketsPath}${ticket}/comments/`, { body: 'Done' });
    await desk.work();
    return (await deliveries(body['id'], '?status=delivered'))[0]?.['actions'] as Json;
  }
  const move = (stage: number | undefined): Json => ({ type: 'move_stage', params: { stage } });

  it('park a move that tells a customer, apply the others, and the approved one moves and tells', async () => {
    const { customer, ticket, stages } = await notifiedTicket();
    const log = await commented(ticket, [{ type: 'set_priority', params: { priority: 'high' } }, move(stages[1])]);
    expect(log).toMatchObject({
      status: 'applied',
      steps: [
        { type: 'set_priority', status: 'applied' },
        { type: 'move_stage', status: 'parked', approval_id: expect.any(Number) },
      ],
    });
    const one = `${ticketsPath}${ticket}/`;
    expect((await desk.api.get(one)).body).toMatchObject({ priority: 'high', stage: stages[0] });
    expect(await sent(customer)).toEqual([]);

    const approval = (log['steps'] as Json[])[1]?.['approval_id'];
    const session = await ownerSession(desk.workspace);
    const approved = await session.api.post(`/api/v1/approvals/${String(approval)}/approve/`);
    expect([approved.status, approved.body['status']]).toEqual([200, 'approved']);
    expect((await desk.api.get(one)).body).toMatchObject({ stage: stages[1] });
    await desk.work();
    expect(await sent(customer)).toHaveLength(1);
  });

  it('apply a move that tells nobody', async () => {
    const { ticket, stages } = await notifiedTicket();
    expect(await commented(ticket, [move(stages[2])])).toMatchObject({
      status: 'applied',
      steps: [{ status: 'applied' }],
    });
    expect((await desk.api.get(`${ticketsPath}${ticket}/`)).body).toMatchObject({ stage: stages[2] });
  });
});

describe('answers that cause events', () => {
  it('do not run in circles, not even by way of another subscription or a message', async () => {
    const other = await startReceiver();
    try {
      const scopes = ['chat.assign', 'chat.send_message'];
      const { body } = await desk.api.post(path, { url: receiver.url, events: ['*'], scopes });
      await desk.api.post(path, { url: other.url, events: ['*'], scopes });
      // Whatever is told is answered by another change of the same conversation, and a message.
      let turn = 0;
      const change = (): { status: number; body: string } => {
        turn += 1;
        const priority = { type: 'set_priority', params: { priority: ['low', 'high', 'urgent', 'normal'][turn % 4] } };
        const text = { type: 'send_message', params: { body: `Answer ${turn}` } };
        return { status: 200, body: JSON.stringify({ actions: [priority, text] }) };
      };
      const onMessage = ({ event }: Received): { status: number; body?: string } =>
        event.type === 'contact.created' || event.type === 'conversation.created' ? { status: 204 } : change();
      receiver.answer = onMessage;
      other.answer = onMessage;
      const customer = createCustomer(desk.workspace);
      await customer.writes('Hi');
      // One answer of each receiver to the message, and nothing in answer to what follows from those.
      await receiver.awaits('macro.ran');
      await receiver.awaits('message.status_changed');
      await desk.work();
      expect(await sent(customer)).toHaveLength(2);
      const log = await deliveries(body['id'], '?event=message.status_changed');
      expect(log.length).toBeGreaterThan(0);
      for (const { actions } of log)
        expect(actions).toMatchObject({
          status: 'refused',
          error: 'This event was caused by the actions of an answer: its own answer does not act.',
        });
    } finally {
      await other.close();
    }
  });

  it('act on one conversation so often an hour and no more, on others all the same', async () => {
    const { customer } = await answered([prioritize], ['chat.assign']);
    const { id } = await conversation(customer);
    await desk.runtime.db.rows(
      `INSERT INTO macro_runs (workspace_id, actions, conversation_id, state, ran, actor_type, request_id, finished_at)
       SELECT $workspaceId, '[]', $id, 'applied', '[]', 'api_key', 'webhook-answer/' || n, now()
       FROM generate_series(2, ${maxRunsPerHour}) AS n`,
      { workspaceId: desk.workspace.id, id },
    );
    await customer.writes('Again');
    await desk.work();
    const { body } = await desk.api.get<Json[]>(path);
    const log = await deliveries(body[0]?.['id'], '?status=delivered');
    expect(log).toHaveLength(2);
    expect(log[0]?.['actions']).toMatchObject({
      status: 'refused',
      error: expect.stringContaining(`at most ${maxRunsPerHour} times an hour`) as string,
    });
    const elsewhere = await answered([prioritize], ['chat.assign']);
    expect(elsewhere.log).toMatchObject({ status: 'applied' });
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
    await desk.api.patch(one, { scopes: [] });
    expect((await key.api.patch(one, { url: `${receiver.url}/other` })).status).toBe(403);
  });

  it('events are those that its maker may see, also where it asks for all', async () => {
    const key = await desk.workspace.key(['webhook.manage', 'contact.view']);
    const refused = await key.api.post(path, { url: receiver.url, events: ['message.received', 'contact.created'] });
    expect([refused.status, refused.body['error']]).toEqual([403, expect.stringMatching(/Missing scope: chat.view/)]);
    const { status, body } = await key.api.post(path, { url: receiver.url, events: ['*'] });
    expect([status, body['events']]).toEqual([201, ['*']]);
    const one = `${path}${String(body['id'])}/`;
    expect((await key.api.patch(one, { events: ['message.received'] })).status).toBe(403);
    // What another one writes beside the events widens nothing.
    expect((await desk.api.patch(one, { events: ['*'], description: 'Contacts' })).status).toBe(200);

    const customer = createCustomer(desk.workspace);
    await customer.writes('Hi');
    await desk.api.patch(`/api/v1/contacts/${customer.handle}/`, { company: 'Engines' });
    await receiver.awaits('contact.updated');
    expect(receiver.events().map(({ type }) => type)).toEqual(['contact.created', 'contact.updated']);
    expect((await desk.api.post(`${one}replay/`, { from: body['created_at'] })).body).toEqual({ replayed: 2 });
  });
});
