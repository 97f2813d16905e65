import { operations } from '../../api/operations';
import { updateMember } from '../../api/services/identity/members/service';
import { createContact } from '../factories/contacts';
import { createMember, createSession, type TestMember } from '../factories/members';
import { unique } from '../factories/unique';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';

type Json = Record<string, unknown>;

let desk: TestApi;
let owner: TestMember;
let session: ApiClient;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  owner = await createMember(desk.workspace, { role: 'owner' });
  session = (await createSession(owner)).api;
});
afterAll(() => desk.close());

const rows = (): Promise<Json[]> =>
  desk.runtime.db.rows<Json>(
    `SELECT action, actor_type, member_id, session_id IS NOT NULL AS "inSession", address, subject_id, given
     FROM security_log WHERE workspace_id = $workspaceId ORDER BY id`,
    { workspaceId: desk.workspace.id },
  );
const since = async (work: () => Promise<unknown>): Promise<Json[]> => {
  const { length } = await rows();
  await work();
  return (await rows()).slice(length);
};

it('every change that only a dashboard may make is recorded, or is named here as of no weight', () => {
  const teamwork = [
    'ownSettings',
    'notes',
    'presence',
    'cannedReplies',
    'views',
    'bulkChanges',
    'unreadMarks',
    'concerns',
    'handovers',
  ];
  const notices = ['notificationSettings', 'pushSubscriptions'];
  const light = ['slaPolicies', 'teamInboxes', ...teamwork, ...notices];
  const writes = operations.filter(({ audience, method }) => audience === 'session' && method !== 'GET');
  const silent = writes.filter(({ run }) => run.name !== 'runRecorded').map(({ id }) => id);
  // A rehearsal changes nothing.
  expect(silent.filter((id) => !light.includes(id.split('.')[0] ?? ''))).toEqual(['rules.rehearse']);
});

it('says who did what from where, without secrets', async () => {
  const made = await since(async () => {
    const key = await session.post('/api/v1/api-keys/', { name: 'Shop', scopes: ['chat.view'] });
    expect(key.status).toBe(201);
    await session.delete(`/api/v1/api-keys/${String(key.body['id'])}/`);
    const email = `new${unique()}@desk.test`;
    const { body } = await session.post('/api/v1/team-members/', {
      email,
      password: 'a long pass phrase',
      role: 'agent',
    });
    await session.patch(`/api/v1/team-members/${String(body['id'])}/`, { is_active: false });
    await session.post('/api/v1/webhooks/', { url: 'https://example.com/hook', events: ['*'] });
  });
  expect(made.map(({ action }) => action)).toEqual([
    'apiKeys.create',
    'apiKeys.revoke',
    'teamMembers.create',
    'teamMembers.update',
    'webhooks.create',
  ]);
  for (const row of made)
    expect(row).toMatchObject({
      actor_type: 'member',
      member_id: owner.id,
      inSession: true,
      address: expect.stringMatching(/^(127\.0\.0\.1|::)/),
      subject_id: expect.any(Number),
    });
  expect(made[0]?.['given']).toEqual({ name: 'Shop', scopes: ['chat.view'] });
  expect(JSON.stringify(made)).not.toContain('pass phrase');
});

it('records sign-ins and refused ones of a member, and changed passwords', async () => {
  await updateMember(desk.workspace.ctx, owner.id, { password: 'a long pass phrase' });
  const signIn = (password: string): Promise<{ status: number }> =>
    desk.anonymous.post('/dashboard/session/', { email: owner.email, password });
  const made = await since(async () => {
    expect((await signIn('wrong one')).status).toBe(401);
    expect((await signIn('a long pass phrase')).status).toBe(200);
    session = (await createSession(owner)).api;
    expect((await session.post('/api/v1/sessions/confirm/', { password: 'wrong one' })).status).toBe(400);
    const values = {
      current_password: 'a long pass phrase',
      new_password: 'another pass phrase',
      revoke_api_keys: false,
      disconnect_agents: false,
    };
    expect((await session.post('/api/v1/password/', values)).status).toBe(200);
    // A new password ends the sessions.
    session = (await createSession(owner)).api;
  });
  expect(made.map(({ action, member_id }) => [action, member_id])).toEqual([
    ['signIn.refused', owner.id],
    ['signIn', owner.id],
    ['signIn.newPlace', owner.id],
    ['sessions.refused', owner.id],
    ['password.change', owner.id],
  ]);
  for (const { address } of made) expect(address).not.toContain('/24');
  expect(made[4]?.['given']).toEqual({ revoke_api_keys: false, disconnect_agents: false });
});

it('records what a key does, and nothing of what is refused', async () => {
  expect(await since(() => session.post('/api/v1/team-members/', { email: owner.email, role: 'agent' }))).toEqual([]);
  const { receiver_id: handle } = await createContact(desk.workspace);
  const made = await since(() => desk.api.delete(`/api/v1/contacts/${handle}/`));
  expect(made).toMatchObject([{ action: 'contacts.delete', actor_type: 'api_key', inSession: false, given: {} }]);
});

it('commits with its effect, or neither does', async () => {
  const create = jest
    .spyOn(desk.runtime.db.models.SecurityEntry, 'create')
    .mockRejectedValueOnce(new Error('the disk is full'));
  const name = `Never ${unique()}`;
  expect((await session.post('/api/v1/api-keys/', { name, scopes: ['chat.view'] })).status).toBe(500);
  create.mockRestore();
  const { body } = await session.get<Json[]>('/api/v1/api-keys/');
  expect(body.filter((key) => key['name'] === name)).toEqual([]);
});

it('is read by its owner: filtered, paged, and beside what agents did', async () => {
  const read = (query: string): Promise<Json[]> =>
    session.get<{ results: Json[] }>(`/api/v1/audit-log/?${query}`).then(({ body }) => body.results);
  const [latest] = await since(() => session.post('/api/v1/api-keys/', { name: 'Read', scopes: ['chat.view'] }));
  const entry = {
    action: 'apiKeys.create',
    subject_id: latest?.['subject_id'],
    given: { name: 'Read', scopes: ['chat.view'] },
  };
  const [first, ...others] = await read('actor=member');
  expect(first).toMatchObject({ ...entry, actor_type: 'member', member: { email: owner.email }, api_key_id: null });
  expect(others.length).toBeGreaterThan(2);
  expect((await read('action=apiKeys.create')).every(({ action }) => action === 'apiKeys.create')).toBe(true);
  expect(await read(`actor=member&member_id=${owner.id + 1_000_000}`)).toEqual([]);
  const at = encodeURIComponent(String(first?.['created_at']));
  expect((await read(`actor=member&created_after=${at}`))[0]).toMatchObject(entry);
  expect((await read(`actor=member&created_before=${at}`)).map(({ id }) => id)).not.toContain(first?.['id']);
  expect(await read('')).toEqual([]);
  const stranger = (await createSession((await createWorkspace(desk)).owner)).api;
  expect((await stranger.get<{ count: number }>('/api/v1/audit-log/?actor=member')).body.count).toBe(0);
});
