import { applyPreference } from '../../api/services/resources/contacts/preference';
import { createContact } from '../factories/contacts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro, macrosPath, ownerSession, step } from '../factories/macros';
import { createMember, createSession } from '../factories/members';
import { createPipeline, createTicket } from '../factories/tickets';
import { unique, uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer } from '../support/client';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  for (const definition of [
    { name: 'plan', field_type: 'select', options: ['free', 'pro'] },
    { name: 'cause', field_type: 'text', applies_to: ['tickets'] },
  ])
    expect((await desk.api.post('/api/v1/custom-fields/', definition)).status).toBe(201);
});
afterAll(() => desk.close());

async function chat(): Promise<{ id: number; customer: TestCustomer; read: () => Promise<Json> }> {
  const customer = createCustomer(desk.workspace, { name: 'Anna' });
  await customer.writes('Hi');
  const read = async (): Promise<Json> => (await desk.api.get(`/api/v1/conversations/${customer.handle}/`)).body;
  return { id: Number((await read())['id']), customer, read };
}
const run = (macro: number, body: Json, headers: Record<string, string> = {}): Promise<ApiAnswer> =>
  desk.api.post(`${macrosPath}${macro}/run/`, body, headers);
const runs = async (macro: number): Promise<Json[]> =>
  (await desk.api.get(`${macrosPath}${macro}/runs/`)).body['results'] as Json[];
const sentTo = (customer: TestCustomer): unknown[] =>
  desk.sandbox.state.sent.filter(({ to }) => to === customer.handle).map(({ body }) => body);
/** Checks that the platform has got these messages for a customer, and no others. */
async function arrived(customer: TestCustomer, messages: readonly object[]): Promise<void> {
  await desk.work();
  expect(sentTo(customer)).toMatchObject(messages);
}

describe('definitions (contract 10)', () => {
  it('are written by a session, and read with macro.view', async () => {
    const body = { name: 'Close', actions: [step('set_status', { status: 'resolved' })] };
    const agent = await createSession(await createMember(desk.workspace, { permissions: ['macro.view'] }));
    const { api } = await ownerSession(desk.workspace);
    const created = await api.post(macrosPath, body);
    expect(created).toMatchObject({
      status: 201,
      body: { name: 'Close', description: '', actions: [{ type: 'set_status', params: { status: 'resolved' } }] },
    });
    const one = `${macrosPath}${String(created.body['id'])}/`;
    expect((await agent.api.get(macrosPath)).body.map(({ id }) => id)).toContain(created.body['id']);
    expect((await api.patch(one, { description: 'Ends it' })).body).toMatchObject({
      name: 'Close',
      description: 'Ends it',
      actions: body.actions,
    });
    expect((await api.delete(one)).status).toBe(204);
    expect((await desk.api.get(one)).status).toBe(404);
  });

  it.each<[Json | Json[], string]>([
    [[], 'This list may not be empty.'],
    [[{ type: 'fly' }], '1: type: "fly" is not a valid choice.'],
    [
      [step('set_priority', { priority: 'high' }), step('set_status', { status: 'done' })],
      '2: set_status: status: "done" is not a valid choice.',
    ],
    [
      [step('set_status', { status: 'snoozed' })],
      '1: set_status: snoozed_until: Give either snoozed_until or snooze_minutes to snooze.',
    ],
    [[step('assign_member')], '1: assign_member: assigned_member: This field is required.'],
    [[step('add_tags', { tags: [] })], '1: add_tags: tags: This list may not be empty.'],
    [[step('update_contact', { shoe: 1 })], '1: update_contact: shoe: This field is not accepted here.'],
    [
      [step('update_contact', {})],
      '1: update_contact: Give at least one of name, email, company, notes, tags, custom_fields, marketing_opt_out.',
    ],
    [[step('send_message')], '1: send_message: body: This field is required.'],
    [
      [
        step('send_message', {
          body: 'Hi {{1}} {{2}}',
          template_variables: { body: { 1: { source: 'field', field: 'name' } } },
        }),
      ],
      '1: send_message: template_variables: body.2: this placeholder is required.',
    ],
    [
      [
        step('send_template', {
          template_id: '1',
          template_variables: { body: { 33: { source: 'static', value: 'x' } } },
        }),
      ],
      '1: send_template: template_variables: body.33: placeholder must be between 1 and 32.',
    ],
    [[step('create_ticket')], '1: create_ticket: title: This field is required.'],
    [[step('move_stage')], '1: move_stage: stage: This field is required.'],
    [[step('set_outcome', { outcome: 'won' })], '1: set_outcome: outcome: "won" is not a valid choice.'],
    [[step('add_comment', { body: '' })], '1: add_comment: body: This field may not be blank.'],
    [[step('escalate')], '1: escalate: escalated_to: This field is required.'],
    [
      Array.from({ length: 51 }, () => step('set_priority', { priority: 'low' })),
      'Ensure this field has no more than 50 elements.',
    ],
  ])('refuses %j', async (actions, message) => {
    const { api } = await ownerSession(desk.workspace);
    expect(await api.post(macrosPath, { name: 'x', actions })).toMatchObject({
      status: 400,
      body: { actions: [message] },
    });
  });
});

describe('a run on a conversation', () => {
  it('applies every kind of step, sends in order, and is recorded', async () => {
    const { id, customer, read } = await chat();
    await applyPreference(desk.workspace.ctx, Number(id), true, new Date(), 'keyword');
    const member = await createMember(desk.workspace);
    const macro = await createMacro(desk.workspace, [
      step('set_priority', { priority: 'urgent' }),
      step('assign_member', { assigned_member: member.id }),
      step('add_tags', { tags: ['vip', 'new'] }),
      step('remove_tags', { tags: ['new', 'other'] }),
      step('send_message', {
        body: 'Thank you, {{1}} ({{2}})!',
        template_variables: {
          body: { 1: { source: 'field', field: 'name' }, 2: { source: 'ticket', field: 'title' } },
        },
      }),
      step('set_custom_fields', { custom_fields: { plan: 'pro' } }),
      step('update_contact', { company: 'ACME', marketing_opt_out: false }),
      step('create_ticket', { title: 'Late parcel', custom_fields: { cause: 'rain' } }),
      step('add_comment', { body: 'From the macro' }),
      step('set_outcome', { outcome: 'refunded' }),
      step('escalate', { escalated_to: member.id, reason: 'Big one' }),
      step('send_template', {
        template_id: templateId(),
        template_variables: { body: { 1: { source: 'ticket', field: 'id' }, 2: { source: 'ticket', field: 'stage' } } },
      }),
      step('set_status', { conv_status: 'resolved' }),
    ]);
    const { status, body } = await run(macro, { chat_id: id });
    expect([status, body]).toEqual([200, { ran: expect.any(Array) as unknown }]);
    const ran = body['ran'] as { type: string; detail: string }[];
    expect(ran.map(({ type }) => type)).toEqual([
      'set_priority',
      'assign_member',
      'add_tags',
      'remove_tags',
      'send_message',
      'set_custom_fields',
      'update_contact',
      'create_ticket',
      'add_comment',
      'set_outcome',
      'escalate',
      'send_template',
      'set_status',
    ]);
    expect(ran.every(({ detail }) => detail !== '')).toBe(true);
    expect(ran.find(({ type }) => type === 'update_contact')?.detail).toContain('opted out themselves');
    expect(await read()).toMatchObject({
      conv_status: 'resolved',
      priority: 'urgent',
      assigned_member: member.id,
      tags: ['vip'],
      company: 'ACME',
      custom_fields: { plan: 'pro' },
      marketing_opt_out: true,
    });

    const [ticket] = (await desk.api.get(`/api/v1/tickets/?search=Late parcel`)).body;
    expect(ticket).toMatchObject({
      title: 'Late parcel',
      outcome: 'refunded',
      escalated_to: member.id,
      comment_count: '1',
      receiver_name: 'Anna',
      custom_fields: { cause: 'rain' },
    });
    await arrived(customer, [
      { text: { body: 'Thank you, Anna (Late parcel)!' } },
      {
        template: {
          name: 'ticket_update',
          components: [{ type: 'body', parameters: [{ text: String(ticket?.['id']) }, { text: 'New' }] }],
        },
      },
    ]);
    expect(await runs(macro)).toMatchObject([
      {
        macro,
        chat_id: id,
        ticket_id: null,
        status: 'applied',
        ran,
        failed_step: null,
        actor: { id: desk.workspace.owner.id },
      },
    ]);
    const activity = (await desk.api.get(`/api/v1/conversations/${customer.handle}/activity/`)).body[
      'results'
    ] as Json[];
    expect(activity).toContainEqual(
      expect.objectContaining({
        kind: 'macro_applied',
        actor_type: 'api_key',
        data: { macro_id: macro, run_id: expect.any(Number), steps: expect.arrayContaining(['set_status']) },
      }),
    );
  });

  it('snoozes by minutes, and the timer wakes', async () => {
    const { id, read } = await chat();
    const macro = await createMacro(desk.workspace, [step('set_status', { status: 'snoozed', snooze_minutes: 5 })]);
    expect((await run(macro, { chat_id: id })).status).toBe(200);
    const minutes = (new Date(String((await read())['snoozed_until'])).getTime() - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(4);
    expect(minutes).toBeLessThanOrEqual(5);
  });

  it.each<[Json, Json]>([
    [{}, { non_field_errors: ['Give exactly one of chat_id and ticket_id.'] }],
    [{ chat_id: 1, ticket_id: 1 }, { non_field_errors: ['Give exactly one of chat_id and ticket_id.'] }],
    [{ chat_id: 2_000_000_000 }, { chat_id: ['Invalid pk "2000000000" - object does not exist.'] }],
    [{ ticket_id: 2_000_000_000 }, { ticket_id: ['Invalid pk "2000000000" - object does not exist.'] }],
    [{ chat_id: 'x' }, { chat_id: ['Incorrect type. Expected pk value, received str.'] }],
  ])('refuses the body %j', async (body, errors) => {
    const macro = await createMacro(desk.workspace, [step('set_priority', { priority: 'low' })]);
    expect(await run(macro, body)).toMatchObject({ status: 400, body: errors });
    expect(await runs(macro)).toEqual([]);
  });

  it("keeps the actions that it was asked for, and a deleted macro's run stays in the trail", async () => {
    const { id, read } = await chat();
    const macro = await createMacro(desk.workspace, [step('add_tags', { tags: ['before'] })]);
    const { api } = await ownerSession(desk.workspace);
    const [answer] = await Promise.all([run(macro, { chat_id: id }), api.delete(`${macrosPath}${macro}/`)]);
    expect([200, 404]).toContain(answer?.status);
    expect((await read())['tags']).toEqual(answer?.status === 200 ? ['before'] : []);
  });
});

describe('a run on a ticket', () => {
  it('changes the ticket with the shared steps, and sends to its primary contact', async () => {
    const { customer, read } = await chat();
    const contact = (await desk.api.get(`/api/v1/contacts/${customer.handle}/`)).body;
    const member = await createMember(desk.workspace);
    const pipeline = await createPipeline(desk.workspace, ['First', 'Second']);
    const ticket = await createTicket(desk.workspace, {
      pipeline: pipeline.id,
      receiver: contact['id'],
      title: 'Bloom',
    });
    const macro = await createMacro(desk.workspace, [
      step('set_priority', { priority: 'high' }),
      step('assign_member', { member: member.id }),
      step('add_tags', { tags: ['t'] }),
      step('set_custom_fields', { custom_fields: { cause: 'x' } }),
      step('move_stage', { stage: pipeline.stages[1]?.id }),
      step('send_message', {
        text: 'About {{1}}: now {{2}}',
        template_variables: {
          body: { 1: { source: 'ticket', field: 'title' }, 2: { source: 'ticket', field: 'stage' } },
        },
      }),
      step('set_status', { status: 'pending' }),
    ]);
    expect(await run(macro, { ticket_id: ticket.id })).toMatchObject({ status: 200 });
    expect((await desk.api.get(`/api/v1/tickets/${ticket.id}/`)).body).toMatchObject({
      priority: 'high',
      assigned_to: member.id,
      tags: ['t'],
      custom_fields: { cause: 'x' },
      stage_name: 'Second',
    });
    expect(await read()).toMatchObject({
      priority: 'normal',
      assigned_member: null,
      tags: [],
      custom_fields: {},
      conv_status: 'pending',
    });
    await arrived(customer, [{ text: { body: 'About Bloom: now Second' } }]);
    expect(await runs(macro)).toMatchObject([{ ticket_id: ticket.id, chat_id: null }]);
  });

  it('refuses to send where there is no primary contact', async () => {
    const ticket = await createTicket(desk.workspace);
    const macro = await createMacro(desk.workspace, [
      step('set_priority', { priority: 'high' }),
      step('send_message', { body: 'Hi' }),
    ]);
    expect(await run(macro, { ticket_id: ticket.id })).toMatchObject({
      status: 400,
      body: { failed_step: { index: 2, type: 'send_message', message: 'The ticket has no primary contact.' } },
    });
    expect((await desk.api.get(`/api/v1/tickets/${ticket.id}/`)).body).toMatchObject({ priority: 'normal' });
  });
});

describe('scopes (contract 10.2, 10.1)', () => {
  it('of every step are checked before anything, and the missing one is named with its step', async () => {
    const { id, read } = await chat();
    const macro = await createMacro(desk.workspace, [
      step('set_priority', { priority: 'high' }),
      step('send_message', { body: 'Hi' }),
      step('create_ticket', { title: 'x' }),
    ]);
    const cases: [Parameters<typeof desk.workspace.key>[0], string][] = [
      [['chat.assign', 'chat.send_message', 'ticket.manage'], 'Missing scope: macro.view.'],
      [
        ['macro.view', 'chat.send_message', 'ticket.manage'],
        'Missing scope: chat.assign, needed by step 1 (set_priority).',
      ],
      [
        ['macro.view', 'chat.assign', 'ticket.manage'],
        'Missing scope: chat.send_message, needed by step 2 (send_message).',
      ],
      [
        ['macro.view', 'chat.assign', 'chat.send_message'],
        'Missing scope: ticket.manage, needed by step 3 (create_ticket).',
      ],
    ];
    for (const [scopes, message] of cases) {
      const { api } = await desk.workspace.key(scopes);
      expect(await api.post(`${macrosPath}${macro}/run/`, { chat_id: id })).toMatchObject({
        status: 403,
        body: { error: expect.stringContaining(message) },
      });
    }
    expect(await read()).toMatchObject({ priority: 'normal' });
    expect(await runs(macro)).toEqual([]);
    const { api } = await desk.workspace.key(['macro.view', 'chat.assign', 'chat.send_message', 'ticket.manage']);
    expect((await api.post(`${macrosPath}${macro}/run/`, { chat_id: id })).status).toBe(200);
  });

  it('on a ticket, shared steps need ticket.manage', async () => {
    const ticket = await createTicket(desk.workspace);
    const macro = await createMacro(desk.workspace, [step('set_custom_fields', { custom_fields: { cause: 'x' } })]);
    const { api } = await desk.workspace.key(['macro.view', 'contact.edit', 'chat.assign']);
    expect(await api.post(`${macrosPath}${macro}/run/`, { ticket_id: ticket.id })).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('ticket.manage') },
    });
  });
});

describe('a repeated request', () => {
  it('with the same Idempotency-Key is the same run, also where the first answer was lost', async () => {
    const { id } = await chat();
    const macro = await createMacro(desk.workspace, [step('create_ticket', { title: `Once ${unique()}` })]);
    const key = { 'idempotency-key': `run-${unique()}` };
    const first = await run(macro, { chat_id: id }, key);
    expect(await run(macro, { chat_id: id }, key)).toMatchObject({
      status: 200,
      body: first.body,
      headers: { 'idempotent-replayed': 'true' },
    });
    // As if the process had died before it could keep its answer.
    await desk.runtime.db.rows('DELETE FROM idempotency_keys WHERE key = $key', { key: key['idempotency-key'] });
    const again = await run(macro, { chat_id: id }, key);
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([200, first.body, 'true']);
    expect(await runs(macro)).toHaveLength(1);
  });

  it('gets its key back when a step was refused: the next run is another one', async () => {
    const phone = uniquePhone();
    const { receiver_id: handle } = await createContact(desk.workspace, { phone });
    const id = Number((await desk.api.get(`/api/v1/conversations/${handle}/`)).body['id']);
    const macro = await createMacro(desk.workspace, [step('send_message', { body: 'Hello' })]);
    const key = { 'idempotency-key': `run-${unique()}` };
    for (let time = 0; time < 2; time += 1) {
      const { status, headers } = await run(macro, { chat_id: id }, key);
      expect([status, headers['x-error-code'], headers['idempotent-replayed']]).toEqual([
        400,
        'macro_step_failed',
        undefined,
      ]);
    }
    await createCustomer(desk.workspace, { phone }).writes('Hi');
    expect(await run(macro, { chat_id: id }, key)).toMatchObject({ status: 200 });
    expect((await runs(macro)).map(({ status }) => status)).toEqual(['applied', 'failed', 'failed']);
  });

  it('without one is another run', async () => {
    const contact = await createContact(desk.workspace);
    const id = Number((await desk.api.get(`/api/v1/conversations/${contact.receiver_id}/`)).body['id']);
    const macro = await createMacro(desk.workspace, [step('create_ticket', { title: 'Again' })]);
    await run(macro, { chat_id: id });
    await run(macro, { chat_id: id });
    expect(await runs(macro)).toHaveLength(2);
  });
});

function templateId(): string {
  return `56${desk.workspace.account.businessAccountId}0`;
}
