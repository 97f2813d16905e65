import { createMacro, step } from '../factories/macros';
import { createSession, type TestSession } from '../factories/members';
import { connect, registerClient, type TestClient } from '../oauth/support';
import { createWorkspace } from '../factories/workspaces';
import { createAgent, type Agent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer } from '../support/client';

let desk: TestApi;
let session: TestSession;
let app: TestClient;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  session = await createSession(desk.workspace.owner);
  app = await registerClient(desk.workspace);
});
afterAll(() => desk.close());

/** An agent whose connection was granted these scopes. */
async function connected(...grant: string[]): Promise<Agent> {
  const { access } = await connect(desk, app, session, { changes: { scope: null }, grant });
  return createAgent(desk.anonymous.with({ authorization: `Bearer ${access}` }));
}
const call = (agent: Agent, name: string, args: Record<string, unknown> = {}): Promise<ApiAnswer<unknown>> =>
  agent.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
const challengeOf = (answer: ApiAnswer<unknown>): string => String(answer.headers['www-authenticate']);
const ticketTools = [
  'list_tickets',
  'get_ticket',
  'create_ticket',
  'update_ticket',
  'comment_on_ticket',
  'list_ticket_pipelines',
];

describe('RFC 6750 section 3.1, MCP 2025-11-25 authorization: a missing scope', () => {
  test('of an OAuth connection that consent can still give: 403 and a challenge with all scopes', async () => {
    const agent = await connected('chat.view', 'contact.view');
    const answer = await call(agent, 'send_message', { to: '+15550000000', text: 'Hi' });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({ error: expect.stringContaining('chat.send_message') as string });
    expect(challengeOf(answer)).toBe(
      `Bearer error="insufficient_scope", resource_metadata="${desk.url}/.well-known/oauth-protected-resource", ` +
        `scope="chat.view contact.view chat.send_message"`,
    );
    expect((await call(agent, 'search_contacts')).status).toBe(200);
  });

  test('of a ticket tool, which consent can never give: a tool error, for no challenge would help', async () => {
    const agent = await connected('chat.view');
    for (const tool of ticketTools) {
      const answer = await agent.call(tool, {});
      expect([answer.isError, answer.text]).toEqual([
        true,
        expect.stringMatching(/^Missing scope: ticket\.(view|manage)\..* no consent can grant it/) as string,
      ]);
    }
  });

  test('of a macro’s step, known only after it was loaded: a tool error that names it', async () => {
    const macro = await createMacro(desk.workspace, [step('set_priority', { priority: 'high' })]);
    const chat = await desk.api.post<{ id: number }>('/api/v1/contacts/', { phone: '+4915155500001' });
    const agent = await connected('macro.view');
    const answer = await agent.call('run_macro', { macro_id: macro, chat_id: chat.body.id });
    expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining('chat.assign') as string]);
  });

  test('of an API key, which cannot step up: a tool error that names it', async () => {
    const agent = createAgent((await desk.workspace.key(['contact.view'])).api);
    const answer = await agent.call('read_conversations');
    expect([answer.isError, answer.text]).toEqual([
      true,
      expect.stringMatching(/^Missing scope: chat\.view\./) as string,
    ]);
  });

  test('is in the audit log, however it was told (contract 11.1: every tool call)', async () => {
    const agent = await connected('chat.view');
    const [{ id = 0 } = {}] = (await session.api.get<{ id: number }[]>('/api/v1/connected-agents/')).body;
    await call(agent, 'get_templates');
    await agent.call('list_tickets');
    const { body } = await session.api.get<{
      results: { tool: string; outcome: string; detail: string; connection: { kind: string; id: number } }[];
    }>('/api/v1/audit-log/');
    expect(
      body.results
        .filter(({ connection }) => connection.kind === 'oauth' && connection.id === id)
        .slice(0, 2)
        .map(({ tool, outcome, detail }) => [tool, outcome, detail]),
    ).toEqual([
      ['list_tickets', 'refused', expect.stringContaining('ticket.view')],
      ['get_templates', 'refused', 'Missing scope: template.view.'],
    ]);
  });
});

test('a first challenge names no scope, so that clients ask for what discovery offers', async () => {
  const { headers } = await createAgent(desk.anonymous).rpc({ jsonrpc: '2.0', id: 1, method: 'initialize' });
  expect(headers['www-authenticate']).toBe(
    `Bearer resource_metadata="${desk.url}/.well-known/oauth-protected-resource"`,
  );
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
