import { createMember, createSession, type TestSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { connect, registerClient, tryMcp } from './support';

type Json = Record<string, unknown>;

let desk: TestApi;
let session: TestSession;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  session = await createSession(desk.workspace.owner);
});
afterAll(() => desk.close());

const callFrom = async (token: string, address: string): Promise<number> => {
  const answer = await fetch(`${desk.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'x-forwarded-for': address,
      'user-agent': 'Shop bot/1.0',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'read_conversations', arguments: {} },
    }),
  });
  await answer.text();
  return answer.status;
};

test('a call is in the audit log with network and program, and a new network is told, not the first one', async () => {
  const { access } = await connect(desk, await registerClient(desk.workspace), session);
  for (const address of ['203.0.113.7', '203.0.113.8', '198.51.100.7', '198.51.100.7'])
    expect(await callFrom(access, address)).toBe(200);
  const { body } = await session.api.get<{ results: Json[] }>('/api/v1/audit-log/');
  expect(body.results.map(({ address, program }) => [address, program])).toEqual([
    ['198.51.100.7', 'Shop bot/1.0'],
    ['198.51.100.7', 'Shop bot/1.0'],
    ['203.0.113.8', 'Shop bot/1.0'],
    ['203.0.113.7', 'Shop bot/1.0'],
  ]);
  const told = await session.api.get<{ results: Json[] }>('/api/v1/audit-log/?action=connectedAgents.newNetwork');
  expect(told.body.results).toMatchObject([{ address: '198.51.100.7', actor_type: 'agent' }]);
});

test('a connection that is bound to networks works from these alone, from its next call on', async () => {
  const { access } = await connect(desk, await registerClient(desk.workspace), session);
  const { body: agents } = await session.api.get<Json[]>('/api/v1/connected-agents/');
  const path = `/api/v1/connected-agents/${String(agents[0]?.['id'])}/`;
  const bound = await session.api.patch(path, { allowed_addresses: ['203.0.113.0/24'] });
  expect(bound.body).toMatchObject({ allowed_addresses: ['203.0.113.0/24'], autonomy: 'approval' });
  expect(await callFrom(access, '203.0.113.9')).toBe(200);
  expect(await callFrom(access, '192.0.2.1')).toBe(403);
  expect(await tryMcp(desk, access)).toBe(403);
  expect((await session.api.patch(path, { allowed_addresses: [] })).status).toBe(200);
  expect(await callFrom(access, '192.0.2.1')).toBe(200);
});

test('who manages the workspace ends sessions of a member who may do no more, and chooses no password', async () => {
  const admin = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  const agent = await createMember(desk.workspace);
  const own = await createSession(agent);
  const path = `/api/v1/team-members/${agent.id}/`;
  expect((await admin.api.patch(path, { password: 'nine lives of a cat' })).status).toBe(200);
  expect((await own.api.get('/api/v1/sessions/')).status).toBe(200);
  const stored = await desk.runtime.db.row('SELECT password_hash FROM members WHERE id = $id', { id: agent.id });
  expect(stored).toEqual({ password_hash: null });
  expect((await admin.api.delete(`${path}sessions/`)).status).toBe(204);
  expect((await own.api.get('/api/v1/sessions/')).status).toBe(401);
  expect((await admin.api.delete(`/api/v1/team-members/${desk.workspace.owner.id}/sessions/`)).status).toBe(403);
});
