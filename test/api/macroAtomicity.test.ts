import { createCustomer } from '../factories/customers';
import { createMacro, macrosPath, step } from '../factories/macros';
import { createPipeline, createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { patiently } from '../support/patiently';
import { sharedDesk } from '../support/sharedDesk';
import { snapshotRows } from '../support/snapshot';
import { workflowOf } from '../support/workflows';

type Json = Record<string, unknown>;

let desk: TestApi;
let chatId: number;
let handle: string;
let ticketId: number;
let stageId: number;

beforeAll(async () => {
  desk = await sharedDesk('worker');
  const customer = createCustomer(desk.workspace, { name: 'Anna' });
  await customer.writes('Hi');
  handle = customer.handle;
  chatId = Number((await desk.api.get(`/api/v1/conversations/${handle}/`)).body['id']);
  const contact = (await desk.api.get(`/api/v1/contacts/${handle}/`)).body;
  const pipeline = await createPipeline(desk.workspace, ['First', 'Second']);
  stageId = pipeline.stages[1]?.id ?? 0;
  ticketId = (await createTicket(desk.workspace, { pipeline: pipeline.id, receiver: contact['id'] })).id;
  expect(
    (
      await desk.api.post('/api/v1/custom-fields/', {
        name: 'plan',
        field_type: 'text',
        applies_to: ['contacts', 'tickets'],
      })
    ).status,
  ).toBe(201);
});
afterAll(() => desk.close());

const missing = 2_000_000_000;
const good = (on: 'chat' | 'ticket'): Json[] => [
  step('send_message', { body: 'never sent' }),
  step('set_priority', { priority: 'urgent' }),
  step('add_tags', { tags: ['never'] }),
  step('create_ticket', { title: 'never' }),
  step('add_comment', { body: 'never' }),
  step('update_contact', { company: 'never' }),
  ...(on === 'ticket' ? [step('move_stage', { stage: stageId })] : []),
  step('set_status', { status: 'snoozed', snooze_minutes: 30 }),
];

/** One step of each type that is refused, for what it is run on. */
const refused: [type: string, on: 'chat' | 'ticket', params: () => Json, message: RegExp][] = [
  ['set_status', 'chat', () => ({ status: 'snoozed', snoozed_until: '2020-01-01T00:00:00Z' }), /future datetime/],
  ['assign_member', 'chat', () => ({ assigned_member: missing }), /Invalid pk/],
  ['assign_inbox', 'chat', () => ({ assigned_team_inbox: missing }), /Invalid pk/],
  ['set_custom_fields', 'chat', () => ({ custom_fields: { nope: 1 } }), /nope: is not a custom field/],
  ['update_contact', 'chat', () => ({ custom_fields: { plan: 5 } }), /plan: Not a valid string/],
  [
    'send_message',
    'chat',
    () => ({ body: 'x', phone_number_id: desk.workspace.account.secondPhoneNumberId }),
    /24-hour messaging window is closed/,
  ],
  ['send_template', 'chat', () => ({ template: { name: 'no_such', language: 'en' } }), /does not exist/],
  ['create_ticket', 'chat', () => ({ title: 'x', assigned_to: missing }), /Invalid pk/],
  ['move_stage', 'chat', () => ({ stage: missing }), /Invalid pk|There is no ticket/],
  ['escalate', 'chat', () => ({ escalated_to: missing }), /Invalid pk|There is no ticket/],
  ['assign_member', 'ticket', () => ({ member: missing }), /Invalid pk/],
  ['assign_inbox', 'ticket', () => ({ inbox: missing }), /Invalid pk/],
  ['set_custom_fields', 'ticket', () => ({ custom_fields: { plan: 5 } }), /plan: Not a valid string/],
  ['move_stage', 'ticket', () => ({ stage: missing }), /Invalid pk/],
  ['escalate', 'ticket', () => ({ escalated_to: missing }), /Invalid pk/],
  [
    'send_message',
    'ticket',
    () => ({ body: 'x', phone_number_id: desk.workspace.account.secondPhoneNumberId }),
    /window is closed/,
  ],
  ['create_ticket', 'ticket', () => ({ title: 'x', receiver: missing }), /Invalid pk/],
];

async function expectNothing(
  on: 'chat' | 'ticket',
  actions: Json[],
  index: number,
  type: string,
  message: RegExp,
): Promise<void> {
  const macro = await createMacro(desk.workspace, actions);
  const before = await snapshotRows(desk.runtime, desk.workspace.id);
  const answer = await desk.api.post(
    `${macrosPath}${macro}/run/`,
    on === 'chat' ? { chat_id: chatId } : { ticket_id: ticketId },
  );
  expect(answer).toMatchObject({
    status: 400,
    body: { failed_step: { index, type, message: expect.stringMatching(message) as unknown } },
  });
  expect(answer.body['error']).toBe(
    `Step ${index} (${type}) failed: ${String((answer.body['failed_step'] as Json)['message'])}`,
  );
  expect(await snapshotRows(desk.runtime, desk.workspace.id)).toEqual(before);
}

describe('a refused step undoes the whole run, at every position (contract 10.2)', () => {
  it.each(refused)('%s on a %s', async (type, on, params, message) => {
    const steps = good(on);
    // One transaction undoes them all: where the refused step stands is tried with one type on each.
    const isTriedEverywhere = type === 'set_status' || (type === 'assign_member' && on === 'ticket');
    for (let position = isTriedEverywhere ? 0 : steps.length; position <= steps.length; position += 1) {
      await expectNothing(
        on,
        [...steps.slice(0, position), step(type, params()), ...steps.slice(position)],
        position + 1,
        type,
        message,
      );
    }
  });

  it.each(['move_stage', 'set_outcome', 'add_comment', 'escalate'])(
    '%s on a conversation without a ticket',
    async (type) => {
      const params =
        {
          move_stage: { stage: stageId },
          set_outcome: { outcome: 'resolved' },
          add_comment: { body: 'x' },
          escalate: { escalated_to: desk.workspace.owner.id },
        }[type] ?? {};
      await expectNothing(
        'chat',
        [
          step('set_priority', { priority: 'urgent' }),
          step(type, params),
          step('create_ticket', { title: 'too late' }),
        ],
        2,
        type,
        /There is no ticket/,
      );
    },
  );

  it.each(['add_tags', 'remove_tags'])('%s where the tags are no list', async (type) => {
    await desk.api.patch(`/api/v1/contacts/${handle}/`, { tags: { any: 'value' } });
    await expectNothing(
      'chat',
      [step('set_priority', { priority: 'urgent' }), step(type, { tags: ['x'] })],
      2,
      type,
      /not a list/,
    );
    await desk.api.patch(`/api/v1/contacts/${handle}/`, { tags: [] });
  });

  it('is a failed run for operators, and an applied one is not', async () => {
    const runOf = async (actions: Json[]): Promise<{ status: string; id: number }> => {
      const macro = await createMacro(desk.workspace, actions);
      await desk.api.post(`${macrosPath}${macro}/run/`, { chat_id: chatId });
      const [record] = (await desk.api.get(`${macrosPath}${macro}/runs/`)).body['results'] as Json[];
      const run = workflowOf(desk.runtime, `macro-run/${desk.workspace.id}/${String(record?.['id'])}`);
      const described = await run.describe();
      return { status: described.status.name, id: macro };
    };
    expect((await runOf([step('set_priority', { priority: 'low' })])).status).toBe('COMPLETED');
    expect((await runOf([step('assign_member', { assigned_member: missing })])).status).toBe('FAILED');
  });
});

describe('ten runs at once on one conversation', () => {
  it('have the effect of one after the other', async () => {
    const customer = createCustomer(desk.workspace);
    await customer.writes('Hi');
    const id = Number((await desk.api.get(`/api/v1/conversations/${customer.handle}/`)).body['id']);
    const macros = await Promise.all(
      Array.from({ length: 10 }, (_unused, index) =>
        createMacro(desk.workspace, [
          step('send_message', { body: `${index} a` }),
          step('add_tags', { tags: [`tag${index}`] }),
          step('update_contact', { company: `company${index}` }),
          step('send_message', { body: `${index} b` }),
          step('set_custom_fields', { custom_fields: { plan: `plan${index}` } }),
        ]),
      ),
    );
    const answers = await Promise.all(
      macros.map((macro) => patiently(() => desk.api.post(`${macrosPath}${macro}/run/`, { chat_id: id }))),
    );
    expect(answers.map(({ status }) => status)).toEqual(macros.map(() => 200));
    const contact = (await desk.api.get(`/api/v1/contacts/${customer.handle}/`)).body;
    expect([...(contact['tags'] as string[])].sort()).toEqual(macros.map((_macro, index) => `tag${index}`));
    const messages = await desk.runtime.db.rows<{ words: string }>(
      `SELECT body->'text'->>'body' AS words FROM messages WHERE conversation_id = $id AND direction = 'outbound'
        ORDER BY send_seq`,
      { id },
    );
    const order = messages.map(({ words }) => words.split(' '));
    // Each run's two messages are neighbours, and the last run is the one whose values stand.
    for (let at = 0; at < order.length; at += 2)
      expect([order[at]?.[0], order[at]?.[1], order[at + 1]?.[1]]).toEqual([order[at + 1]?.[0], 'a', 'b']);
    expect(order).toHaveLength(20);
    const last = order.at(-1)?.[0];
    expect(contact).toMatchObject({ company: `company${last}`, custom_fields: { plan: `plan${last}` } });
    expect((contact['tags'] as string[]).at(-1)).toBe(`tag${last}`);
  });
});
