import { templateId, twoValues } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { createMember } from '../factories/members';
import { activityOf, createPipeline, createTicket, pipelinesPath, ticketsPath } from '../factories/tickets';
import { unique } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
const imageTemplate = `5${unique()}`;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  await desk.runtime.db.rows(
    `INSERT INTO templates (workspace_id, business_account_id, template_id, name, language, status, category,
      components, parameter_format)
     SELECT workspace_id, business_account_id, $id, 'picture', 'en', 'APPROVED', 'UTILITY',
       '[{"type":"HEADER","format":"IMAGE"},{"type":"BODY","text":"Hi"}]', 'POSITIONAL'
     FROM templates WHERE workspace_id = $workspaceId LIMIT 1`,
    { workspaceId: desk.workspace.id, id: imageTemplate },
  );
});
afterAll(() => desk.close());

describe('stages inside a pipeline take what adding a stage takes', () => {
  it('template, mapping and place', async () => {
    const notify_template_id = templateId(desk.workspace, 'ticket_update');
    const answer = await desk.api.post(pipelinesPath, {
      name: 'Refunds',
      stages: [
        { name: 'New' },
        { name: 'Done', notify_template_id, notify_template_variables: twoValues, is_terminal: true },
        { name: 'First', position: 0 },
      ],
    });
    expect(answer.status).toBe(201);
    expect(answer.body.stages.map(({ name, position }) => [name, position])).toEqual([
      ['First', 0],
      ['New', 1],
      ['Done', 2],
    ]);
    expect(answer.body.stages[2]).toMatchObject({ notify_template_id, notify_template_variables: twoValues });
  });

  it.each<[Json, string]>([
    [{ name: 'New', colour: '#000000' }, '0.colour: This field is not accepted here.'],
    [{ name: 'New', notify_template_id: '1' }, '0.notify_template_id: Invalid pk "1" - object does not exist.'],
    [
      { name: 'New', notify_template_variables: { body: { '33': { source: 'static', value: 'x' } } } },
      '0.notify_template_variables.body.33: placeholder must be between 1 and 32.',
    ],
  ])('%j is refused by name', async (stage, message) => {
    const answer = await desk.api.post(pipelinesPath, { name: 'Refunds', stages: [stage] });
    expect([answer.status, answer.body]).toEqual([400, { stages: [message] }]);
  });

  it('a template with a picture is refused without one', async () => {
    const pipeline = await createPipeline(desk.workspace, ['New']);
    const answer = await desk.api.post(`${pipelinesPath}${pipeline.id}/stages/`, {
      name: 'Told',
      notify_template_id: imageTemplate,
    });
    expect([answer.status, answer.body]).toEqual([400, { notify_template_media_id: ['This field is required.'] }]);
  });
});

describe('an activity entry', () => {
  const changes = async (id: number): Promise<unknown[]> =>
    (await activityOf(desk.workspace, id)).map(({ kind, changes: changed }) => [kind, changed]);

  it('is not made by the order of contacts, watchers or tags', async () => {
    const people = [await createContact(desk.workspace), await createContact(desk.workspace)].map(({ id }) => id);
    const member = await createMember(desk.workspace, { role: 'agent', permissions: ['chat.view'] });
    const watchers = [desk.workspace.owner.id, member.id];
    const tags = ['vip', { b: 1, a: [2] }];
    const ticket = await createTicket(desk.workspace, { affected_contact_ids: people, watcher_ids: watchers, tags });
    const before = await changes(ticket.id);
    const answer = await desk.api.patch(`${ticketsPath}${ticket.id}/`, {
      affected_contact_ids: [...people].reverse(),
      watcher_ids: [...watchers].reverse(),
      tags: [...tags].reverse(),
    });
    expect((answer.body['affected_contacts'] as Json[]).map(({ id }) => id)).toEqual([...people].reverse());
    expect(answer.body['tags']).toEqual([...tags].reverse());
    expect(await changes(ticket.id)).toEqual(before);
    await desk.api.patch(`${ticketsPath}${ticket.id}/`, { tags: ['vip'] });
    expect(await changes(ticket.id)).toHaveLength(before.length + 1);
  });

  it('holds the values, texts cut at 1,000 characters', async () => {
    const ticket = await createTicket(desk.workspace, { description: 'Late' });
    await desk.api.patch(`${ticketsPath}${ticket.id}/`, { description: '😀'.repeat(2_000) });
    const [entry] = await changes(ticket.id);
    expect(entry).toEqual(['ticket_updated', { description: { from: 'Late', to: '😀'.repeat(1_000) } }]);
  });
});

describe('a macro on a conversation', () => {
  it('sets fields of contacts and of conversations, and makes tickets whose source is the conversation', async () => {
    const anna = createCustomer(desk.workspace);
    await anna.writes('Hi');
    const names: string[] = [];
    for (const subject of ['contacts', 'conversations']) {
      const name = `f${unique()}`;
      names.push(name);
      await desk.api.post('/api/v1/custom-fields/', { name, field_type: 'text', applies_to: [subject] });
    }
    const macro = await createMacro(desk.workspace, [
      step('set_custom_fields', { custom_fields: Object.fromEntries(names.map((name) => [name, 'x'])) }),
      step('create_ticket', { title: 'Late' }),
    ]);
    const conversation = await desk.api.get(`/api/v1/conversations/${anna.handle}/`);
    const run = await desk.api.post(`/api/v1/macros/${macro}/run/`, { chat_id: conversation.body['id'] });
    expect([run.status, run.body]).toEqual([200, { ran: [expect.anything(), expect.anything()] }]);
    expect((await desk.api.get(`/api/v1/conversations/${anna.handle}/`)).body['custom_fields']).toEqual({
      [names[1]!]: 'x',
    });
    expect((await desk.api.get(`/api/v1/contacts/${anna.handle}/`)).body['custom_fields']).toEqual({
      [names[0]!]: 'x',
    });
    const { body } = await desk.api.get(`${ticketsPath}?receiver=${String(conversation.body['contact_id'])}`);
    expect(body.map(({ source }) => source)).toEqual(['msgapp']);
  });
});

it('null tags are null, however they are written', async () => {
  const made = await createContact(desk.workspace, { tags: null });
  expect(made.body['tags']).toBeNull();
  expect((await createTicket(desk.workspace, { tags: null }))['tags']).toBeNull();
  const patched = await desk.api.patch(`/api/v1/contacts/${(await createContact(desk.workspace)).receiver_id}/`, {
    tags: null,
  });
  expect(patched.body['tags']).toBeNull();
});

it('two names of one filter that say different things are refused', async () => {
  const answer = await desk.api.get('/api/v1/conversations/?status=open&conv_status=resolved');
  expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['conv_status']]);
  expect((await desk.api.get('/api/v1/conversations/?status=open,resolved&conv_status=resolved,open')).status).toBe(
    200,
  );
});

it('the receiver of a message shows the state of its conversation', async () => {
  const anna = createCustomer(desk.workspace);
  await anna.writes('Hi');
  await desk.api.patch(`/api/v1/conversations/${anna.handle}/`, { priority: 'high', status: 'pending' });
  const { body } = await desk.api.get(`/api/v1/conversations/${anna.handle}/messages/`);
  expect(body.results[0]?.receiver).toMatchObject({
    conv_status: 'pending',
    snoozed_until: null,
    priority: 'high',
    custom_fields: {},
  });
});
