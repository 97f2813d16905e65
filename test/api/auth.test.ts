import { createMember, createSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import { eventually } from '../support/eventually';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const list = '/api/v1/contacts/';
const wrongKey = { error: 'Invalid, expired or revoked API key.' };

describe('credentials (contract 12.1, 3)', () => {
  it('takes a key as Bearer and as Token, in any case of the scheme', async () => {
    for (const scheme of ['Bearer', 'Token', 'bearer', 'TOKEN'])
      expect((await desk.anonymous.get(list, { authorization: `${scheme} ${desk.workspace.token}` })).status).toBe(200);
  });

  it('refuses a request without a credential', async () => {
    const { status, body } = await desk.anonymous.get(list);
    expect([status, body]).toEqual([401, { error: 'Authentication credentials were not provided.' }]);
  });

  it.each([
    ['Bearer'],
    ['Bearer '],
    ['Basic dXNlcjpwYXNz'],
    ['Bearer a b'],
    ['hd_live_1_x'],
    ['Bearer "x"'],
    [`Bearer ${'x'.repeat(500)}`],
    ['Bearer x, Bearer y'],
  ])('refuses the malformed header %j', async (authorization) => {
    const { status, body } = await desk.anonymous.get(list, { authorization });
    expect([status, typeof body['error']]).toEqual([401, 'string']);
  });

  it('refuses an unknown key, one with another secret, and one without its secret', async () => {
    const [, id, secret] = /^hd_live_([^_]+)_(.+)$/.exec(desk.workspace.token) ?? [];
    for (const token of [
      `hd_live_${id}_${'x'.repeat(secret?.length ?? 40)}`,
      `hd_live_${id}_`,
      `hd_live_999999_${secret}`,
      desk.workspace.token.toUpperCase(),
      `${desk.workspace.token}x`,
    ]) {
      expect(await desk.anonymous.get(list, { authorization: `Bearer ${token}` })).toMatchObject({
        status: 401,
        body: wrongKey,
      });
    }
  });

  it('refuses a revoked and an expired key from the next request on', async () => {
    const key = await desk.workspace.key(['contact.view']);
    expect((await key.api.get(list)).status).toBe(200);
    await desk.runtime.db.rows('UPDATE api_keys SET revoked_at = now() WHERE id = $id', { id: key.id });
    expect(await key.api.get(list)).toMatchObject({ status: 401, body: wrongKey });
    const short = await desk.workspace.key(['contact.view'], { expiresAt: new Date(Date.now() + 3_600_000) });
    expect((await short.api.get(list)).status).toBe(200);
    await desk.runtime.db.rows(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $id`, {
      id: short.id,
    });
    const expired = { status: 401, body: { error: 'This API key has expired.' } };
    expect(await short.api.get(list)).toMatchObject(expired);
    expect(await short.api.post('/mcp', {})).toMatchObject({
      ...expired,
      headers: { 'www-authenticate': expect.stringContaining('invalid_token') },
    });
  });

  it('stores no key, and shows when it was used last', async () => {
    const key = await desk.workspace.key(['contact.view']);
    await key.api.get(list);
    const row = await eventually(async () => {
      const found = await desk.runtime.db.row<{ prefix: string; last_used_at: Date | null; row: string }>(
        'SELECT prefix, last_used_at, api_keys::text AS row FROM api_keys WHERE id = $id AND last_used_at IS NOT NULL',
        { id: key.id },
      );
      if (!found) throw new Error('not written yet');
      return found;
    });
    expect(key.token.startsWith(row.prefix)).toBe(true);
    expect(row.row).not.toContain(key.token.slice(-20));
  });

  it('takes a session by cookie and as Token, never as Bearer', async () => {
    const { token, api } = await createSession(desk.workspace.owner);
    expect((await api.get(list)).status).toBe(200);
    expect((await desk.anonymous.get(list, { authorization: `Token ${token}` })).status).toBe(200);
    expect((await desk.anonymous.get(list, { authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await desk.anonymous.get(list, { cookie: `other=1; token=${token}` })).status).toBe(200);
    expect((await desk.anonymous.get(list, { cookie: 'token=nonsense' })).body).toEqual({
      error: 'The session is over. Sign in again.',
    });
  });

  it('a session ends at its time', async () => {
    const { api } = await createSession(desk.workspace.owner);
    await desk.runtime.db.rows(`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE member_id = $id`, {
      id: desk.workspace.owner.id,
    });
    expect((await api.get(list)).status).toBe(401);
  });

  it('a cookie from another site writes nothing; the own origin, and no origin, may', async () => {
    const { api, token } = await createSession(desk.workspace.owner);
    const post = (headers: Record<string, string>): Promise<number> =>
      api.post('/api/v1/contacts/', {}, headers).then(({ status }) => status);
    expect(await post({ origin: 'https://evil.test' })).toBe(403);
    expect(await post({ origin: 'null' })).toBe(403);
    expect(await post({ origin: desk.url })).toBe(400);
    expect(await post({})).toBe(400);
    expect(await post({ referer: 'https://evil.test/page' })).toBe(403);
    expect(await post({ referer: 'no address' })).toBe(403);
    expect(await post({ referer: `${desk.url}/dashboard/` })).toBe(400);
    expect(await post({ origin: desk.url, referer: 'https://evil.test/' })).toBe(400);
    expect((await api.get(list, { origin: 'https://evil.test' })).status).toBe(200);
    // A header does not travel by itself: no page of another site can send it.
    expect(
      (
        await desk.anonymous.post(
          '/api/v1/contacts/',
          {},
          { authorization: `Token ${token}`, origin: 'https://evil.test' },
        )
      ).status,
    ).toBe(400);
  });
});

describe('members and their keys (C12)', () => {
  it('an inactive member loses their sessions and keys, and gets keys back when active again', async () => {
    const member = await createMember(desk.workspace, { permissions: ['contact.view'] });
    const key = await desk.workspace.key(['contact.view'], { member });
    const session = await createSession(member);
    expect([(await key.api.get(list)).status, (await session.api.get(list)).status]).toEqual([200, 200]);
    await member.update({ isActive: false });
    expect([(await key.api.get(list)).status, (await session.api.get(list)).status]).toEqual([401, 401]);
    await member.update({ isActive: true });
    expect((await key.api.get(list)).status).toBe(200);
  });

  it('a member can make no key that carries more than they hold', async () => {
    const member = await createMember(desk.workspace, { permissions: ['contact.view'] });
    await expect(desk.workspace.key(['contact.view', 'contact.edit'], { member })).rejects.toThrow(/contact\.edit/);
  });

  it('what the member loses, their keys lose on the next request', async () => {
    const member = await createMember(desk.workspace, { permissions: ['contact.view', 'contact.edit'] });
    const key = await desk.workspace.key(['contact.view', 'contact.edit'], { member });
    expect((await key.api.post('/api/v1/contacts/', {})).status).toBe(400);
    await member.update({ permissions: ['contact.view'] });
    expect(await key.api.post('/api/v1/contacts/', {})).toMatchObject({
      status: 403,
      body: { error: 'You do not have permission to perform this action. Missing scope: contact.edit.' },
    });
    expect((await key.api.get(list)).status).toBe(200);
  });

  it('permissions that are no API scopes have no effect on a key', async () => {
    const key = await desk.workspace.key(['all', 'macro.manage', 'workspace.manage']);
    const row = await desk.runtime.db.row<{ scopes: string[] }>('SELECT scopes FROM api_keys WHERE id = $id', {
      id: key.id,
    });
    expect(row?.scopes).not.toEqual(expect.arrayContaining(['macro.manage']));
    expect(row?.scopes).not.toEqual(expect.arrayContaining(['workspace.manage']));
  });
});

describe('an expired trial without a plan (contract 12.3)', () => {
  it('refuses keys altogether; a dashboard session keeps reading', async () => {
    const over = await createWorkspace(desk, { plan: null, trialEndsAt: new Date(Date.now() + 3_600_000) });
    const session = await createSession(over.owner);
    expect((await over.api.get(list)).status).toBe(200);
    await desk.runtime.db.rows(`UPDATE workspaces SET trial_ends_at = now() - interval '1 second' WHERE id = $id`, {
      id: over.id,
    });
    const refused = {
      status: 403,
      body: {
        error:
          'The trial of this workspace has expired. Choose a plan at /dashboard/plan/ (POST /api/v1/workspace/plan/) ' +
          'to reactivate it.',
      },
    };
    for (const method of ['GET', 'POST', 'HEAD']) expect((await over.api.request(method, list)).status).toBe(403);
    for (const path of [list, '/api/v1/nothing/']) expect(await over.api.get(path)).toMatchObject(refused);
    expect((await session.api.get(list)).status).toBe(200);
    expect(await session.api.post(list, {})).toMatchObject(refused);
    await desk.runtime.db.rows(`UPDATE workspaces SET plan = 'pro' WHERE id = $id`, { id: over.id });
    expect((await over.api.get(list)).status).toBe(200);
  });

  it('a plan without any trial is no expired trial', async () => {
    const free = await createWorkspace(desk, { plan: null });
    expect([200, 403]).toContain((await free.api.get(list)).status);
  });
});
