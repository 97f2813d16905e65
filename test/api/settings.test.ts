import { createInbox } from '../../api/services/resources/inboxes/service';
import { createContact } from '../factories/contacts';
import { createMember, createSession } from '../factories/members';
import { unique } from '../factories/unique';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
});
afterAll(() => desk.close());

describe('API keys', () => {
  const path = '/api/v1/api-keys/';

  it('carry at most what their maker holds, are shown once, and end when they are revoked', async () => {
    const maker = await createMember(desk.workspace, { permissions: ['workspace.manage', 'contact.view'] });
    const { api } = await createSession(maker);
    expect((await api.post(path, { name: 'All of it', scopes: ['chat.view'] })).status).toBe(403);
    const made = await api.post(path, {
      name: 'Shop',
      scopes: ['all', 'workspace.manage', 'billing', 'contact_notes'],
      autonomy: 'draft',
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Shop',
        scopes: ['contact.view'],
        ignored_scopes: ['workspace.manage', 'billing', 'contact_notes'],
        autonomy: 'draft',
        member_id: maker.id,
        last_used_at: null,
      },
    });
    const text = String(made.body['api_key']);
    const key = desk.anonymous.with({ authorization: `Bearer ${text}` });
    expect((await key.get('/api/v1/contacts/')).status).toBe(200);
    const listed = await api.get(path);
    expect(JSON.stringify(listed.body)).not.toContain(text);
    expect(listed.body.find((row) => row['id'] === made.body['id'])?.['prefix']).toBe(
      text.slice(0, String(made.body['prefix']).length),
    );
    expect((await api.delete(`${path}${String(made.body['id'])}/`)).status).toBe(204);
    expect((await key.get('/api/v1/contacts/')).status).toBe(401);
    expect((await api.post(path, { name: 'x', scopes: ['contact.fly'] })).status).toBe(400);
  });

  it('no cache keeps what a credential opens', async () => {
    const { api } = await createSession(desk.workspace.owner);
    for (const client of [api, desk.api])
      expect((await client.get('/api/v1/team-members/')).headers['cache-control']).toBe('no-store');
  });
});

describe('team members', () => {
  const path = '/api/v1/team-members/';

  it('are added with a link that is shown once, and changed', async () => {
    const { api } = await createSession(desk.workspace.owner);
    const email = `new${unique()}@desk.test`;
    const added = await api.post(path, { email, role: 'agent', permissions: ['chat.view'] });
    expect(added).toMatchObject({ status: 201, body: { email, permissions: ['chat.view'], is_active: true } });
    expect(added.body['link']).toMatchObject({ url: expect.stringMatching(/\/dashboard\/link\/[\w-]{43}\/$/) });
    expect(await api.post(path, { email })).toMatchObject({
      status: 400,
      body: { email: ['member with this email already exists.'] },
    });
    const one = `${path}${String(added.body['id'])}/`;
    expect(await api.patch(one, { is_active: false, name: 'Gone' })).toMatchObject({
      status: 200,
      body: { is_active: false, name: 'Gone', permissions: ['chat.view'] },
    });
  });

  it('nobody raises themselves or others above what they hold', async () => {
    const manager = await createMember(desk.workspace, { permissions: ['workspace.manage', 'chat.view'] });
    const colleague = await createMember(desk.workspace, { permissions: ['chat.view'] });
    const stronger = await createMember(desk.workspace, { permissions: ['contact.delete'] });
    const { api } = await createSession(manager);
    for (const [target, changes] of [
      [manager.id, { role: 'owner' }],
      [manager.id, { permissions: ['all'] }],
      [colleague.id, { permissions: ['contact.delete'] }],
      [stronger.id, { password: 'taken over 123' }],
      [desk.workspace.owner.id, { password: 'taken over 123' }],
      [desk.workspace.owner.id, { is_active: false }],
    ] as const)
      expect({ changes, status: (await api.patch(`${path}${target}/`, changes)).status }).toEqual({
        changes,
        status: 403,
      });
    expect((await api.post(path, { email: `x${unique()}@desk.test`, role: 'admin' })).status).toBe(403);
    expect((await api.patch(`${path}${colleague.id}/`, { permissions: [] })).status).toBe(200);
  });

  it('the last active owner stays one', async () => {
    const lonely = await createWorkspace(desk);
    const { api } = await createSession(lonely.owner);
    const own = `${path}${lonely.owner.id}/`;
    expect((await api.patch(own, { role: 'agent' })).status).toBe(409);
    expect((await api.patch(own, { is_active: false })).status).toBe(409);
    await createMember(lonely, { role: 'owner' });
    expect((await api.patch(own, { role: 'agent' })).status).toBe(200);
  });
});

it('team inboxes are made, changed and deleted; what was assigned to one is assigned to none', async () => {
  const path = '/api/v1/team-inboxes/';
  const { api } = await createSession(desk.workspace.owner);
  const first = await createInbox(desk.workspace.ctx, { name: `First ${unique()}` });
  const member = await createMember(desk.workspace);
  const made = await api.post(path, { name: `Second ${unique()}`, member_ids: [member.id] });
  expect(made).toMatchObject({ status: 201, body: { is_default: false, member_ids: [member.id] } });
  const one = `${path}${String(made.body['id'])}/`;
  expect(await api.patch(one, { name: first.name })).toMatchObject({
    status: 400,
    body: { name: ['team inbox with this name already exists.'] },
  });
  const contact = await createContact(desk.workspace);
  const chat = `/api/v1/conversations/${contact.receiver_id}/`;
  const read = async (): Promise<unknown> => (await desk.api.get(chat)).body['assigned_team_inbox'];
  expect((await desk.api.patch(chat, { assigned_team_inbox: made.body['id'] })).status).toBe(200);
  expect(await read()).toBe(made.body['id']);
  expect(await api.patch(one, { is_default: true, member_ids: [] })).toMatchObject({
    status: 200,
    body: { is_default: true, member_ids: [] },
  });
  expect((await api.delete(one)).status).toBe(409);
  expect((await api.patch(`${path}${first.id}/`, { is_default: true })).status).toBe(200);
  expect((await api.delete(one)).status).toBe(204);
  expect(await read()).toBeNull();
});
