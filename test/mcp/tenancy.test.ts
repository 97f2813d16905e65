import { createTeamInbox } from '../factories/inboxes';
import { createCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { createPipeline, createTicket } from '../factories/tickets';
import { templateId } from '../factories/broadcasts';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { createAgent, type Agent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

/** In every name of the other workspace: it must never be read here. */
const mark = 'Eavesdrop';

type Json = Record<string, unknown>;

interface Objects {
  readonly workspace: TestWorkspace;
  /** Something real for each argument that names an object, whichever tool takes it. */
  readonly named: Readonly<Record<string, unknown>>;
}

let desk: TestApi;
let agent: Agent;
let ours: Objects;
let theirs: Objects;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  agent = createAgent(desk.api);
  ours = await objectsOf(desk.workspace, 'Ours');
  theirs = await objectsOf(await createWorkspace(desk), mark);
});
afterAll(() => desk.close());

async function objectsOf(workspace: TestWorkspace, name: string): Promise<Objects> {
  const customer = createCustomer(workspace, { name: `${name} customer` });
  const wamid = await customer.writes(`${name} words`);
  const { body: conversation } = await workspace.api.get(`/api/v1/conversations/${customer.handle}/`);
  const contact = await workspace.server.runtime.db.row<{ id: number }>(
    'SELECT id FROM contacts WHERE workspace_id = $workspaceId AND receiver_id = $handle',
    { workspaceId: workspace.id, handle: customer.handle },
  );
  const ticket = await createTicket(workspace, { title: `${name} ticket` });
  const pipeline = await createPipeline(workspace, [`${name} stage`], { name: `${name} pipeline` });
  const inbox = await createTeamInbox(workspace);
  return {
    workspace,
    named: {
      receiver_id: customer.handle,
      reply_to_wamid: wamid,
      chat_id: conversation.id,
      receiver: contact?.id,
      affected_contact: contact?.id,
      affected_receiver_id: customer.handle,
      affected_contact_ids: [contact?.id],
      affected_receiver_ids: [customer.handle],
      macro_id: await createMacro(workspace, [step('set_priority', { priority: 'high' })], `${name} macro`),
      id: ticket.id,
      ticket_id: ticket.id,
      parent_ticket: ticket.id,
      duplicate_of: ticket.id,
      pipeline: pipeline.id,
      stage: pipeline.stages[0]?.id,
      assigned_member: workspace.owner.id,
      assigned_to: workspace.owner.id,
      watcher_ids: [workspace.owner.id],
      assigned_team_inbox: inbox,
      assigned_inbox: inbox,
      phone_number_id: workspace.account.phoneNumberId,
      msgapp_business_account_id: workspace.account.businessAccountId,
      template_id: templateId(workspace, 'ticket_update'),
      search: name,
    },
  };
}

/** Arguments that carry values of the caller's own, and name nothing that could be somebody else's. */
const plain = new Set([
  ...[
    'dry_run',
    'response_format',
    'with_images',
    'search_messages',
    'note',
    'send_at',
    'if_customer_writes',
    'limit',
    'offset',
    'cursor',
    'ordering',
    'text',
    'title',
    'description',
    'body',
    'name',
    'notes',
    'email',
    'company',
    'tag',
    'tags',
    'custom_field',
    'custom_fields',
    'marketing_opt_out',
    'opted_out',
  ],
  ...[
    'conv_status',
    'status',
    'priority',
    'severity',
    'type',
    'source',
    'outcome',
    'category',
    'unread',
    'open',
    'escalated',
    'sla_breached',
    'has_messages',
    'has_exchange',
    'waiting',
    'window_open',
    'snoozed_until',
  ],
  ...['created_after', 'created_before', 'updated_after', 'due_before', 'due_at', 'template_variables'],
  // A template by its name is looked for among the caller's own; a number belongs to nobody, and whoever is written to
  // becomes a contact.
  ...['template', 'to'],
]);

/** Returns what each tool needs to be understood, and to do something if the argument in question did not stop it. */
function base(tool: string): Json {
  const own = ours.named;
  const to = { to: `+${String(own['receiver_id'])}` };
  const known: Record<string, Json> = {
    read_messages: { receiver_id: own['receiver_id'] },
    send_message: { ...to, text: 'Hi' },
    send_template: {
      ...to,
      template_id: own['template_id'],
      template_variables: { body: { 1: { source: 'static', value: 'a' }, 2: { source: 'static', value: 'b' } } },
    },
    update_conversation: { receiver_id: own['receiver_id'] },
    update_contact: { receiver_id: own['receiver_id'], name: 'Renamed' },
    run_macro: { macro_id: own['macro_id'], chat_id: own['chat_id'] },
    get_ticket: { id: own['id'] },
    create_ticket: { title: 'Ours' },
    update_ticket: { id: own['id'] },
    comment_on_ticket: { ticket_id: own['ticket_id'], body: 'Note' },
  };
  return known[tool] ?? {};
}

const rowsOf = async (workspaceId: number): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      ['contacts', 'conversations', 'messages', 'tickets', 'macro_runs', 'events'].map((table) =>
        desk.runtime.db.rows(
          `SELECT md5(string_agg(t::text, '|' ORDER BY id)) AS sum FROM ${table} t WHERE workspace_id = $workspaceId`,
          { workspaceId },
        ),
      ),
    ),
  );

test('the fifteen tools take no argument of which it is not said here whether it names an object', async () => {
  const tools = (await agent.tools()) as { name: string; inputSchema: { properties?: Json } }[];
  expect(tools).toHaveLength(15);
  const open = tools
    .flatMap((tool) => Object.keys(tool.inputSchema.properties ?? {}).map((argument) => [tool.name, argument] as const))
    .filter(([, argument]) => !plain.has(argument) && !(argument in theirs.named));
  expect(open).toEqual([]);
});

test("an object of another workspace is not found, read or changed through any tool's argument", async () => {
  const tools = (await agent.tools()) as { name: string; inputSchema: { properties?: Json } }[];
  const before = await rowsOf(theirs.workspace.id);
  let tried = 0;
  for (const { name, inputSchema } of tools) {
    for (const argument of Object.keys(inputSchema.properties ?? {}).filter((candidate) => candidate in theirs.named)) {
      const args: Json = { ...base(name), [argument]: theirs.named[argument] };
      // Exactly one of both.
      if (name === 'run_macro' && argument === 'ticket_id') delete args['chat_id'];
      const answer = await agent.call(name, args);
      const about = `${name} ${argument}: ${answer.text.slice(0, 300)}`;
      tried += 1;
      expect(about).not.toContain(mark);
      // An id of the platform's own goes there as it is; here nothing is looked up by it.
      if (argument === 'reply_to_wamid')
        expect((await agent.call('read_messages', { receiver_id: ours.named['receiver_id'] })).text).not.toContain(
          mark,
        );
      else if (!answer.isError) expect([about, answer.json['results']]).toEqual([about, []]);
    }
  }
  expect(tried).toBeGreaterThan(40);
  expect(await rowsOf(theirs.workspace.id)).toBe(before);
});

test('a member, team inbox or macro of another workspace is not found by name or email, and not offered', async () => {
  const { workspace } = theirs;
  const inbox = await desk.runtime.db.row<{ name: string }>('SELECT name FROM team_inboxes WHERE id = $id', {
    id: theirs.named['assigned_inbox'],
  });
  const macro = await desk.runtime.db.row<{ name: string }>('SELECT name FROM macros WHERE id = $id', {
    id: theirs.named['macro_id'],
  });
  for (const [tool, argument, reference] of [
    ['update_conversation', 'assigned_member', workspace.owner.email],
    ['update_conversation', 'assigned_team_inbox', inbox?.name],
    ['list_tickets', 'assigned_to', workspace.owner.email],
    ['run_macro', 'macro_id', macro?.name],
  ] as const) {
    const answer = await agent.call(tool, { ...base(tool), [argument]: reference });
    expect([tool, answer.isError, answer.text]).toEqual([
      tool,
      true,
      expect.stringMatching(new RegExp(`^${argument}: No [a-z ]+ "${String(reference)}"`)) as string,
    ]);
    expect(answer.text.replace(String(reference), '')).not.toContain(String(reference));
  }
});

test('the same arguments with objects of our own do find them, so the test above can fail', async () => {
  for (const [tool, argument] of [
    ['read_conversations', 'assigned_member'],
    ['search_contacts', 'search'],
    ['list_tickets', 'pipeline'],
    ['read_messages', 'receiver_id'],
    ['get_ticket', 'id'],
  ] as const) {
    if (argument === 'assigned_member')
      await agent.call('update_conversation', {
        receiver_id: ours.named['receiver_id'],
        assigned_member: ours.named['assigned_member'],
      });
    if (argument === 'pipeline') await agent.call('create_ticket', { title: 'Ours', pipeline: ours.named['pipeline'] });
    const answer = await agent.call(tool, { ...base(tool), [argument]: ours.named[argument] });
    expect([tool, answer.isError, ((answer.json['results'] as unknown[] | undefined)?.length ?? 1) > 0]).toEqual([
      tool,
      false,
      true,
    ]);
  }
});
