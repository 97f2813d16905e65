import Ajv2020 from 'ajv/dist/2020';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { createMember, createSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import { createInbox } from '../../api/services/resources/inboxes/service';
import { convStatuses } from '../../models/enums';
import { connect, registerClient } from '../oauth/support';
import { createAgent, type Agent, type ToolAnswer } from '../support/agent';
import { startApi, type TestApi } from '../support/api';

type Json = Record<string, unknown>;

let desk: TestApi;
let anna: TestCustomer;
beforeAll(async () => {
  desk = await startApi({ worker: true });
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

/** Returns what comes after a name in the instructions, up to the next item. */
function told(instructions: string, pattern: RegExp): string {
  const found = pattern.exec(instructions)?.[1];
  if (found === undefined) throw new Error(`${String(pattern)} is not in the instructions: ${instructions}`);
  return found;
}

describe('an agent that knows only initialize, tools/list and answers', () => {
  let agent: Agent;
  let instructions = '';
  /** Calls a tool by its declared schema, and wants a success. */
  let use: (tool: string, args?: Json) => Promise<ToolAnswer>;
  let customer: Json = {};

  beforeAll(async () => {
    agent = createAgent((await desk.workspace.key(['all'])).api);
    instructions = await instructionsOf(agent);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const schemas = new Map(
      (await agent.tools()).map(({ name, inputSchema }) => [String(name), ajv.compile(inputSchema as Json)]),
    );
    use = async (tool, args = {}) => {
      const check = schemas.get(tool);
      expect([tool, check?.(args), check?.errors ?? []]).toEqual([tool, true, []]);
      const answer = await agent.call(tool, args);
      expect([tool, args, answer.isError, answer.text]).toEqual([tool, args, false, expect.anything()]);
      return answer;
    };
  });

  const results = ({ json }: ToolAnswer): Json[] => json['results'] as Json[];
  const receiver = (): Json => ({ receiver_id: customer['receiver_id'] });

  test('1. finds who waits for an answer', async () => {
    const waiting = results(await use('read_conversations', { unread: true, conv_status: ['open', 'pending'] }));
    expect(waiting.map(({ name }) => name)).toContain('Anna Arnold');
  });

  test('2. finds a customer by a part of the name', async () => {
    [customer = {}] = results(await use('search_contacts', { search: 'anna' }));
    expect(customer).toMatchObject({ receiver_id: anna.handle, phone: anna.phone });
  });

  test('3. reads what was written, and answers that very message after a rehearsal', async () => {
    const { json } = await use('read_messages', receiver());
    expect(json['conversation']).toMatchObject({ chat_status: 'active' });
    const [message] = json['results'] as Json[];
    expect(message).toMatchObject({ text: 'Where is my parcel?' });
    const args = { to: customer['phone'], text: 'It comes tomorrow.', reply_to_wamid: message?.['wamid'] };
    expect((await use('send_message', { ...args, dry_run: true })).json).toMatchObject({
      status: 'would_send',
      recipient: { name: 'Anna Arnold' },
      text: 'It comes tomorrow.',
    });
    expect((await use('send_message', args)).json).toMatchObject({ status: 'queued' });
  });

  test('4. writes from a number of its choice, named in the instructions', async () => {
    const number = told(instructions, /phone_number_id (\d+)/);
    await use('send_message', { to: customer['phone'], text: 'Anything else?', phone_number_id: number });
  });

  test('5. assigns a conversation to a colleague and a team by their names', async () => {
    const member = told(instructions, /("Bea Berg") \(id/);
    const inbox = told(instructions, /("Billing") \(id/);
    const { json } = await use('update_conversation', {
      ...receiver(),
      assigned_member: JSON.parse(member) as string,
      assigned_team_inbox: JSON.parse(inbox) as string,
    });
    expect(json).toMatchObject({ assigned_member: expect.anything(), assigned_team_inbox: expect.anything() });
  });

  test('6. is asked which of two people of one name is meant, and can say it', async () => {
    const asked = await agent.call('update_conversation', { ...receiver(), assigned_member: 'sam stone' });
    expect([asked.isError, asked.text]).toEqual([true, expect.stringContaining('sam2@desk.test') as string]);
    const id = Number(told(asked.text, /\(id (\d+), sam2@desk\.test\)/));
    await use('update_conversation', { ...receiver(), assigned_member: id });
    await use('update_conversation', { ...receiver(), assigned_member: 'SAM1@desk.test' });
  });

  test('7. snoozes until tomorrow and opens again', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    await use('update_conversation', { ...receiver(), conv_status: 'snoozed', snoozed_until: tomorrow });
    expect((await use('update_conversation', { ...receiver(), conv_status: 'open' })).json).toMatchObject({
      conv_status: 'open',
    });
  });

  test('8. sets a custom field to one of its options', async () => {
    const option = told(instructions, /plan \([^)]*"free" \| ("pro")/);
    const { json } = await use('update_contact', {
      ...receiver(),
      custom_fields: { plan: JSON.parse(option) as string },
    });
    expect(json['custom_fields']).toMatchObject({ plan: 'pro' });
    expect(results(await use('search_contacts', { custom_field: { plan: 'pro' } }))).toHaveLength(1);
  });

  test('9. writes down an email, a note and a tag', async () => {
    await use('update_contact', { ...receiver(), email: 'anna@example.com', notes: 'Likes blue.', tags: ['vip'] });
    expect(results(await use('search_contacts', { tag: 'vip' }))).toHaveLength(1);
  });

  test('10. sends a template in the form that its schema shows', async () => {
    const templates = results(await use('get_templates', { status: 'APPROVED' }));
    const template = templates.find(({ name }) => name === 'ticket_update');
    const tool = (await agent.tools()).find(({ name }) => name === 'send_template');
    const shown = (tool?.['inputSchema'] as { properties: Record<string, { examples?: Json[] }> }).properties;
    const args = {
      to: customer['phone'],
      template_id: template?.['template_id'],
      template_variables: shown['template_variables']?.examples?.[0],
    };
    expect((await use('send_template', { ...args, dry_run: true })).json['text']).toContain('Anna Arnold');
    expect((await use('send_template', args)).json).toMatchObject({ status: 'queued' });
  });

  test('11. runs a macro by its name', async () => {
    const macro = told(instructions, /("Mark as urgent") \(id/);
    await use('run_macro', { macro_id: JSON.parse(macro) as string, ...receiver() });
    expect(results(await use('read_conversations', { priority: 'urgent' }))).toHaveLength(1);
  });

  test('12. opens a ticket for the customer, gives it to a colleague, notes, moves and finds it', async () => {
    const [pipeline] = results(await use('list_ticket_pipelines'));
    const stages = pipeline?.['stages'] as Json[];
    const { json } = await use('create_ticket', {
      title: 'Late parcel',
      ...receiver(),
      pipeline: pipeline?.['id'],
      stage: stages[0]?.['id'],
      severity: 'sev2',
      assigned_to: 'bea@desk.test',
      watcher_ids: ['Bea Berg'],
      custom_fields: { plan: 'pro' },
    });
    await use('comment_on_ticket', { ticket_id: json['id'], body: 'Called the courier.' });
    await use('update_ticket', { id: json['id'], stage: stages[1]?.['id'] });
    const found = results(
      await use('list_tickets', { assigned_to: 'Bea Berg', severity: ['sev1', 'sev2'], stage: stages[1]?.['id'] }),
    );
    expect(found.map(({ id }) => id)).toEqual([json['id']]);
    expect((await use('get_ticket', { id: json['id'] })).json).toMatchObject({ assigned_to_name: 'Bea Berg' });
  });
});

describe('a name that does not fit', () => {
  test('is answered with those that would', async () => {
    const agent = createAgent(desk.api);
    const call = async (tool: string, args: Json): Promise<string> => {
      const { isError, text } = await agent.call(tool, args);
      expect([tool, isError]).toEqual([tool, true]);
      return text;
    };
    expect(await call('read_conversations', { assigned_member: 'Bea' })).toMatch(
      /^assigned_member: No member "Bea"\. .*one of: "Bea Berg" \(id \d+, bea@desk\.test\)\.$/,
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
    expect(await call('send_message', { to: anna.phone, body: 'Hi' })).toContain('The text of a message is "text".');
  });

  test('is not guessed where two stages have it, unless their pipeline is named', async () => {
    const session = await createSession(desk.workspace.owner);
    const made: number[] = [];
    for (const name of ['Returns', 'Repairs'])
      made.push(
        (
          await session.api.post<{ id: number }>('/api/v1/ticket-pipelines/', {
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

  test('names no more than the scopes of the connection reach', async () => {
    const reader = createAgent((await desk.workspace.key(['chat.view'])).api);
    const refused = await reader.call('read_conversations', { assigned_member: 'Bea' });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('Give the id of the member')]);
    expect(refused.text).not.toContain('Bea Berg');
    const assigner = createAgent((await desk.workspace.key(['chat.view', 'chat.assign'])).api);
    const { text } = await assigner.call('read_conversations', { assigned_member: 'Bea' });
    expect(text).toContain('Bea Berg');
    expect(text).not.toContain('@desk.test');
  });
});

describe('instructions', () => {
  test('tell only what the scopes reach', async () => {
    const bare = await instructionsOf(createAgent((await desk.workspace.key(['template.view'])).api));
    expect(bare).not.toMatch(/Phone numbers:|Macros:|Members:|Team inboxes:|Custom fields:/);
    const all = await instructionsOf(createAgent(desk.api));
    expect(all).toMatch(/Phone numbers:.*\nMacros:.*\nMembers:.*bea@desk\.test.*\nTeam inboxes:.*\nCustom fields:/);
    expect(all).not.toContain('bea@desk.test,');
    expect(all).toContain(`It is ${new Date().toISOString().slice(0, 10)}T`);
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
