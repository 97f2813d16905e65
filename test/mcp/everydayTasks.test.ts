import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { createMember, createSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import { createInbox } from '../../api/services/resources/inboxes/service';
import { convStatuses } from '../../models/enums';
import { connect, registerClient } from '../oauth/support';
import { createAgent, type Agent, type ToolAnswer } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
let anna: TestCustomer;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  const { workspace } = desk;
  await createMember(workspace, { name: 'Bea Berg', email: 'bea@desk.test' });
  for (const email of ['sam1@desk.test', 'sam2@desk.test']) await createMember(workspace, { name: 'Sam Stone', email });
  await createInbox(workspace.ctx, { name: 'Billing' });
  await createMacro(workspace, [step('set_priority', { priority: 'urgent' })], 'Mark as urgent');
  await workspace.api.post('/api/v1/custom-fields/', {
    name: 'plan',
    field_type: 'select',
    options: ['free', 'pro'],
    applies_to: ['contacts', 'conversations', 'tickets'],
  });
  anna = createCustomer(workspace, { name: 'Anna Arnold' });
  await anna.writes('Where is my parcel?');
});
afterAll(() => desk.close());

async function instructionsOf(agent: Agent): Promise<string> {
  const { body } = await agent.rpc({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });
  return String(body.result?.['instructions']);
}

const results = ({ json }: ToolAnswer): Json[] => json['results'] as Json[];

test('who waits for an answer is found, by several states at once', async () => {
  const { call } = createAgent((await desk.workspace.key(['all'])).api);
  const waiting = results(await call('read_conversations', { unread: true, conv_status: ['open', 'pending'] }));
  expect(waiting.map(({ name }) => name)).toContain('Anna Arnold');
});

// What else is asked of assistants in a day: test/agents/tasks.ts.
test('instructions and schemas name what a call takes: a number, and a template with its placeholders', async () => {
  const agent = createAgent((await desk.workspace.key(['all'])).api);
  const [number] = /phone_number_id (\d+)/.exec(await instructionsOf(agent))?.slice(1) ?? [];
  const message = { to: anna.phone, text: 'It comes tomorrow.', phone_number_id: number };
  expect((await agent.call('send_message', message)).json).toMatchObject({ status: 'queued' });
  const template = results(await agent.call('get_templates', { status: 'APPROVED' })).find(
    ({ name }) => name === 'ticket_update',
  );
  const tool = (await agent.tools()).find(({ name }) => name === 'send_template');
  const shown = (tool?.['inputSchema'] as { properties: Record<string, { examples?: Json[] }> }).properties;
  const args = {
    to: anna.phone,
    template_id: template?.['template_id'],
    template_variables: shown['template_variables']?.examples?.[0],
  };
  expect((await agent.call('send_template', { ...args, dry_run: true })).json['text']).toContain('Anna Arnold');
  expect((await agent.call('send_template', args)).json).toMatchObject({ status: 'queued' });
});

describe('a name that does not fit', () => {
  test('is answered with those that would', async () => {
    const agent = createAgent(desk.api);
    const call = async (tool: string, args: Json): Promise<string> => {
      const { isError, text } = await agent.call(tool, args);
      expect([tool, isError]).toEqual([tool, true]);
      return text;
    };
    expect(await call('read_conversations', { assigned_member: 'Berg' })).toMatch(
      /^assigned_member: No member "Berg"\. .*one of: "Bea Berg" \(id \d+, bea@desk\.test\)\.$/,
    );
    expect(await call('run_macro', { macro_id: 'Nope', receiver_id: anna.handle })).toMatch(
      /^macro_id: No macro "Nope"\. .*"Mark as urgent" \(id \d+\)\.$/,
    );
    expect(await call('update_conversation', { receiver_id: anna.handle, assigned_team_inbox: 'Sales' })).toContain(
      '"Billing"',
    );
    expect(await call('create_ticket', { title: 'T', stage: 'Nowhere' })).toMatch(
      /^stage: No stage "Nowhere"\. .*\(id /,
    );
    expect(await call('send_template', { to: anna.phone, template_id: 'nope' })).toMatch(/^template_id: No template /);
    expect(await call('read_conversations', { conv_status: 'closed' })).toBe(
      `conv_status: "closed" is not a valid choice. Give one of: ${convStatuses.join(', ')}.`,
    );
    expect(await call('read_conversations', { conv_status: 'open,closed' })).toContain(
      '"closed" is not a valid choice',
    );
  });

  test('of very many names the first wrong ones are told', async () => {
    const many = Array.from({ length: 100_000 }, () => 'a');
    for (const args of [
      { watcher_ids: many },
      Object.fromEntries(many.slice(0, 1_000).map((_, at) => [`a${at}`, 1])),
    ]) {
      const { isError, text } = await createAgent(desk.api).call('create_ticket', { title: 'T', ...args });
      expect([isError, text.length < 20_000]).toEqual([true, true]);
    }
    expect((await createAgent(desk.api).call('list_tickets', { stage: Array(100_000).fill(1) })).text).toBe(
      'stage: Ensure this field has no more than 2500 elements.',
    );
  });

  test('is not guessed where two stages have it, unless their pipeline is named', async () => {
    const session = await createSession(desk.workspace.owner);
    const made: number[] = [];
    for (const name of ['Returns', 'Repairs'])
      made.push(
        (
          await session.api.post('/api/v1/ticket-pipelines/', {
            name,
            stages: [{ name: 'Received', position: 0 }],
          })
        ).body.id,
      );
    const agent = createAgent(desk.api);
    const vague = await agent.call('create_ticket', { title: 'T', stage: 'received' });
    expect([vague.isError, vague.text]).toEqual([
      true,
      expect.stringMatching(
        /several\. Give the id: "Received" \(id \d+, "Returns"\), "Received" \(id \d+, "Repairs"\)/,
      ),
    ]);
    const { json } = await agent.call('create_ticket', { title: 'T', pipeline: 'Repairs', stage: 'received' });
    expect(json).toMatchObject({ pipeline: made[1] });
    expect((await agent.call('list_tickets', { pipeline: ['Repairs'], stage: 'received' })).json).toMatchObject({
      total: 1,
    });
  });

  test('and a wrong id is answered with what there is of our own, never with strangers or their words', async () => {
    const workspace = await createWorkspace(desk);
    const agent = createAgent(workspace.api);
    const ben = createCustomer(workspace, { name: 'Ben Brook' });
    await ben.writes('Hi');
    await createMember(workspace, { name: 'Cleo Cole' });
    await createInbox(workspace.ctx, { name: 'Returns' });
    await createMacro(workspace, [step('set_priority', { priority: 'low' })], 'Calm down');
    await workspace.api.post('/api/v1/custom-fields/', {
      name: 'plan',
      field_type: 'text',
      applies_to: ['contacts', 'conversations'],
    });
    const session = (await createSession(workspace.owner)).api;
    const other = { name: 'Other', stages: [{ name: 'Elsewhere', position: 0 }] };
    const elsewhere = (await session.post<{ stages: { id: number }[] }>('/api/v1/ticket-pipelines/', other)).body;
    let ticket = 0;
    for (let n = 1; n <= 12; n += 1)
      ticket = Number((await agent.call('create_ticket', { title: `T${n}` })).json['id']);

    const receiver = { receiver_id: ben.handle };
    const wrong = 999_999_999;
    const noTicket = /^No ticket 999999999: find it with list_tickets\.$/;
    const cases: [tool: string, args: Json, offered: RegExp][] = [
      ['update_conversation', { ...receiver, assigned_member: wrong }, /^Choose a member: .*"Cleo Cole" \(id \d+/m],
      ['update_conversation', { ...receiver, assigned_team_inbox: wrong }, /a team inbox: "Returns" \(id \d+\)\./],
      ['update_conversation', { ...receiver, custom_fields: { plam: 'x' } }, /a custom field: plan \(text\)\./],
      [
        'update_conversation',
        { receiver_id: 'Ben', priority: 'high' },
        new RegExp(`^No conversation "Ben".*\\nChoose a contact: receiver_id ${ben.handle} \\(id \\d+\\)\\.$`),
      ],
      ['read_messages', { receiver_id: '15550000000' }, /^No conversation "15550000000": .*\d\.$/],
      [
        'run_macro',
        { ...receiver, macro_id: wrong },
        /^No macro 999999999\.\nChoose a macro: "Calm down" \(id \d+\)\.$/,
      ],
      ['run_macro', { macro_id: 'Calm down', ticket_id: wrong }, /^ticket_id: [^\n]*$/],
      ['send_template', { to: ben.phone, template_id: '999' }, /a template: .*"ticket_update" \(id \d+, "en_US"\)/],
      ['send_message', { to: ben.phone, text: 'x', phone_number_id: '999' }, /a phone number: .*phone_number_id \d+/],
      ['create_ticket', { title: 'T', pipeline: wrong }, /a pipeline: .*"Other" \(id \d+\)/],
      ['create_ticket', { title: 'T', assigned_to: wrong }, /a member: .*"Cleo Cole"/],
      ['create_ticket', { title: 'T', affected_receiver_ids: ['1555'] }, /^affected_receiver_ids: [^\n]*1555[^\n]*$/],
      ['create_ticket', { title: 'T', parent_ticket: wrong }, /^parent_ticket: [^\n]*$/],
      ['update_ticket', { id: wrong, title: 'T' }, noTicket],
      ['update_ticket', { id: ticket, stage: elsewhere.stages[0]?.id }, /a stage: (?!.*Elsewhere).*\(id \d+, /],
      ['get_ticket', { id: wrong }, noTicket],
      ['comment_on_ticket', { ticket_id: wrong, body: 'x' }, noTicket],
      ['list_tickets', { receiver: wrong }, /^receiver: [^\n]*$/],
    ];
    for (const [tool, args, offered] of cases) {
      const { isError, text } = await agent.call(tool, args);
      expect([tool, args, isError, text]).toEqual([tool, args, true, expect.stringMatching(offered)]);
    }
    const template = (await workspace.api.get('/api/v1/templates/?page_size=200')).body.results;
    const unusable = template.find(({ status }) => status !== 'APPROVED');
    const { text } = await agent.call('send_template', { to: ben.phone, template_id: '999' });
    if (unusable) expect(text).not.toContain(String(unusable['name']));
    // Suggestions do not name what the connection may not see.
    const narrow = createAgent((await workspace.key(['ticket.manage'])).api);
    expect((await narrow.call('update_ticket', { id: wrong, title: 'T' })).text).toMatch(noTicket);
  });

  test('names no more than the scopes of the connection reach', async () => {
    const reader = createAgent((await desk.workspace.key(['chat.view'])).api);
    const refused = await reader.call('read_conversations', { assigned_member: 'Berg' });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('Give the id of the member')]);
    expect(refused.text).not.toContain('Bea Berg');
    const assigner = createAgent((await desk.workspace.key(['chat.view', 'chat.assign'])).api);
    const { text } = await assigner.call('read_conversations', { assigned_member: 'Berg' });
    expect(text).toContain('Bea Berg');
    expect(text).not.toContain('@desk.test');
  });
});

describe('instructions', () => {
  test('tell only what the scopes reach', async () => {
    const bare = await instructionsOf(createAgent((await desk.workspace.key(['template.view'])).api));
    expect(bare).not.toMatch(/Phone numbers:|Macros:|Members:|Team inboxes:|Custom fields:/);
    const today = (): string => new Date().toISOString().slice(0, 10);
    const before = today();
    const all = await instructionsOf(createAgent(desk.api));
    expect([before, today()]).toContain(/It is (\S+)T/.exec(all)?.[1]);
    expect(all).toMatch(/Phone numbers:.*\nMacros:.*\nMembers:.*bea@desk\.test.*\nTeam inboxes:.*\nCustom fields:/);
    expect(all).not.toContain('bea@desk.test,');
    expect(all).toContain("the workspace's time zone is ");
    expect(all).not.toContain('no consent');
    const app = await registerClient(desk.workspace);
    const { access } = await connect(desk, app, await createSession(desk.workspace.owner));
    expect(await instructionsOf(createAgent(desk.anonymous.with({ authorization: `Bearer ${access}` })))).toContain(
      'The six ticket tools cannot be granted to this connection: no consent includes them.',
    );
  });

  test('stay within 3 kB, count what they leave out, and show no invisible characters', async () => {
    const workspace = await createWorkspace(desk, { connected: false });
    await desk.runtime.db.rows(
      `INSERT INTO members (workspace_id, email, name, role, permissions)
       SELECT $id::bigint, 'crowd' || n || '-' || $id::text || '@desk.test', 'Ä\u202eColleague number ' || n, 'agent',
         '{}' FROM generate_series(1, 400) n`,
      { id: workspace.id },
    );
    await createInbox(workspace.ctx, { name: 'Only inbox' });
    const text = await instructionsOf(createAgent(workspace.api));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3_000);
    expect(text).toMatch(/Members: .*Colleague number 1".* and 3\d\d more\.\n/);
    expect(text).toContain('"Only inbox"');
    expect(text).not.toContain('\u202e');
  });
});

describe('what agents write in other words', () => {
  test("other names of arguments, me, first names, plain texts and the workspace's clock are understood", async () => {
    const workspace = await createWorkspace(desk, { timezone: 'Europe/Berlin' });
    const agent = createAgent(workspace.api);
    const carl = createCustomer(workspace, { name: 'Carl' });
    await carl.writes('Hi');
    const amir = await createMember(workspace, { name: 'Amir Aziz' });
    const call = async (tool: string, args: Json): Promise<Json> => {
      const { isError, text, json } = await agent.call(tool, args);
      expect([tool, isError, text]).toEqual([tool, false, text]);
      return json;
    };
    expect((await call('search_contacts', { query: 'Carl', page_size: 1 }))['results']).toHaveLength(1);
    expect(await call('send_message', { receiver_id: carl.handle, body: 'Hello' })).toMatchObject({ status: 'queued' });
    const { id } = await call('create_ticket', { title: 'Late', receiver_id: carl.handle, due_at: '2031-05-04' });
    expect(await call('get_ticket', { ticket_id: id })).toMatchObject({ due_at: '2031-05-04T21:59:00Z' });
    await call('comment_on_ticket', { id, comment: 'Seen' });

    const conversation = { to: carl.phone, assigned_member: 'me' };
    expect(await call('update_conversation', conversation)).toMatchObject({ assigned_member: workspace.owner.id });
    const snoozed = { receiver_id: carl.handle, conv_status: 'snoozed', snoozed_until: '2031-01-05T09:00' };
    expect(await call('update_conversation', { ...snoozed, assigned_member: 'amir' })).toMatchObject({
      assigned_member: amir.id,
      snoozed_until: '2031-01-05T08:00:00Z',
      snoozed_until_local: '2031-01-05 09:00 Europe/Berlin',
      now: expect.stringMatching(/ Europe\/Berlin$/),
    });
    const template = { template_id: 'ticket_update', template_variables: { body: { '1': 'Carl', '2': 28 } } };
    expect((await call('send_template', { receiver_id: carl.handle, ...template, dry_run: true }))['text']).toMatch(
      /Carl[^]*28/,
    );
  });

  test('two names of one argument, and a first name of two, are asked about', async () => {
    const workspace = await createWorkspace(desk);
    const agent = createAgent(workspace.api);
    for (const name of ['Kim Ash', 'Kim Birch']) await createMember(workspace, { name });
    const both = await agent.call('search_contacts', { search: 'x', query: 'y' });
    expect([both.isError, both.text]).toEqual([true, 'Give search or query, not both: search is its name.']);
    const kim = await agent.call('read_conversations', { assigned_member: 'kim' });
    expect([kim.isError, kim.text]).toEqual([true, expect.stringContaining('is the name of several')]);
  });
});
