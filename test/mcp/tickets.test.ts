import { createWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';
import { createAgent, type Agent } from '../support/agent';

let desk: TestApi;
let agent: Agent;
beforeAll(async () => {
  desk = await startApi({ sandbox: false });
  agent = createAgent(desk.api);
});
afterAll(() => desk.close());

const ticketTools = [
  'list_tickets',
  'get_ticket',
  'create_ticket',
  'update_ticket',
  'comment_on_ticket',
  'list_ticket_pipelines',
];

test('there are fifteen tools, the six of ticketing last, in their order (contract 11.1)', async () => {
  const names = (await agent.tools()).map((tool) => tool['name']);
  expect(names.slice(-6)).toEqual(ticketTools);
  expect(names).toHaveLength(15);
});

test('a ticket is created, found, changed and commented on with the field names of REST', async () => {
  const created = await agent.call('create_ticket', { title: 'Late parcel', severity: 'sev2', tags: ['parcel'] });
  expect(created.json).toMatchObject({
    title: 'Late parcel',
    severity: 'sev2',
    source: 'api',
    stage_name: expect.any(String) as string,
  });
  const id = created.json['id'];
  expect((await agent.call('get_ticket', { id })).json).toMatchObject({ id, title: 'Late parcel' });
  expect((await agent.call('update_ticket', { id, priority: 'urgent', outcome: 'refunded' })).json).toMatchObject({
    priority: 'urgent',
    outcome: 'refunded',
  });
  const comment = await agent.call('comment_on_ticket', { ticket_id: id, body: 'Called the courier.' });
  expect(comment.json).toMatchObject({ body: 'Called the courier.', is_internal: true });
  const list = await agent.call('list_tickets', { search: 'parcel', limit: 5 });
  expect(list.json).toMatchObject({ total: 1, results: [expect.objectContaining({ id }) as unknown] });
  expect((await agent.call('list_ticket_pipelines')).json['results']).toEqual([
    expect.objectContaining({ is_default: true, stages: expect.any(Array) as unknown }),
  ]);
});

test('a comment of an agent is an internal note, whatever it asks for', async () => {
  const { json } = await agent.call('create_ticket', { title: 'Note' });
  const comment = await agent.call('comment_on_ticket', { ticket_id: json['id'], body: 'x', is_internal: false });
  expect([comment.isError, comment.text]).toEqual([
    true,
    expect.stringContaining('Unknown argument "is_internal"') as string,
  ]);
});

test('errors carry the validation message of the API', async () => {
  expect(await agent.call('create_ticket', {})).toMatchObject({
    isError: true,
    text: 'title: This field is required.',
  });
  expect(await agent.call('create_ticket', { title: 'x'.repeat(256) })).toMatchObject({
    isError: true,
    text: 'title: Ensure this field has no more than 255 characters.',
  });
  expect(await agent.call('create_ticket', { title: 'T', severity: 'sev9' })).toMatchObject({
    isError: true,
    text: 'severity: "sev9" is not a valid choice. Give one of: sev1, sev2, sev3, sev4.',
  });
  expect(await agent.call('create_ticket', { title: 'T', receiver: 999_999 })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^receiver: Invalid pk "999999" - object does not exist\./) as string,
  });
  expect(await agent.call('get_ticket', { id: 999_999 })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^No ticket 999999\./) as string,
  });
});

test('without the add-on every ticket tool says so and stays in the list', async () => {
  const bare = await createWorkspace(desk, { ticketing: false, connected: false });
  const other = createAgent(bare.api);
  for (const tool of ticketTools) {
    const answer = await other.call(tool, tool.includes('list') ? {} : { id: 1, ticket_id: 1, title: 't', body: 'b' });
    expect([tool, answer.isError, answer.text]).toEqual([
      tool,
      true,
      expect.stringContaining('Ticketing add-on') as string,
    ]);
  }
  expect((await other.tools()).map((tool) => tool['name'])).toEqual(expect.arrayContaining(ticketTools));
});

test('a key without ticket scopes is told which one is missing', async () => {
  const narrow = createAgent((await desk.workspace.key(['chat.view'])).api);
  expect(await narrow.call('list_tickets')).toMatchObject({
    isError: true,
    text: expect.stringContaining('Missing scope: ticket.view') as string,
  });
  expect(await narrow.call('create_ticket', { title: 'T' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('Missing scope: ticket.manage') as string,
  });
});
