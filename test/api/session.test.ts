import { ownPath } from '../../api/doors/dashboard/signIn';
import { countSignIn } from '../../api/services/identity/attempts/attempts';
import { updateMember } from '../../api/services/identity/members/service';
import { openSession } from '../../api/services/identity/members/sessions';
import { createMember, createSession, type TestMember } from '../factories/members';
import { unique } from '../factories/unique';
import type { TestApi } from '../support/api';
import { easePasswords } from '../support/passwords';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';
import { eventually } from '../support/eventually';

// What is counted here is checks, not their cost.
beforeAll(easePasswords);

let desk: TestApi;
let member: TestMember;
const password = 'correct horse battery';
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  member = await createMember(desk.workspace, { role: 'agent', permissions: ['contact.view'] });
  await updateMember(member.ctx, member.id, { password });
});
afterAll(() => desk.close());

const path = '/dashboard/session/';

it('signs in by JSON, speaks by the cookie, and is out after signing out (C12)', async () => {
  const { status, headers, body } = await desk.anonymous.post(path, { email: member.email, password });
  expect([status, body]).toMatchObject([
    200,
    { member: { email: member.email }, workspace: { id: desk.workspace.id } },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/password|hash|secret/i);
  const cookie = String(headers['set-cookie']);
  expect(cookie).toMatch(/^token=[^;]+;.*HttpOnly; SameSite=Lax$/);
  expect(headers['cache-control']).toBe('no-store');
  const mine = desk.anonymous.with({ cookie: cookie.split(';')[0] ?? '' });
  expect((await mine.get('/api/v1/contacts/')).status).toBe(200);
  expect((await mine.post('/api/v1/contacts/', {})).status).toBe(403);
  expect((await mine.delete(path)).status).toBe(204);
  expect((await mine.get('/api/v1/contacts/')).status).toBe(401);
});

it('over https the cookie is given back over https only, and so is all that follows (HSTS)', async () => {
  const secure = await sharedDesk('no sandbox', { env: { BASE_URL: 'https://desk.test' } });
  try {
    const own = await createMember(secure.workspace);
    await updateMember(own.ctx, own.id, { password });
    const { status, headers } = await secure.anonymous.post(path, { email: own.email, password });
    expect(status).toBe(200);
    expect(String(headers['set-cookie'])).toMatch(/^token=[^;]+;.*HttpOnly; Secure; SameSite=Lax$/);
    expect(headers['strict-transport-security']).toMatch(/^max-age=\d{8,}; includeSubDomains$/);
    const plain = await desk.anonymous.get(path);
    expect(plain.headers['strict-transport-security']).toBeUndefined();
  } finally {
    await secure.close();
  }
});

it('stores only the hash of the session', async () => {
  const { headers } = await desk.anonymous.post(path, { email: member.email, password });
  const token = /token=([^;]+)/.exec(String(headers['set-cookie']))?.[1] ?? '';
  const rows = await desk.runtime.db.row<{ dump: string }>(
    `SELECT string_agg(sessions::text, ' ') AS dump FROM sessions`,
  );
  expect(token.length).toBeGreaterThan(30);
  expect(rows?.dump).not.toContain(token);
});

it('a new password and an inactive member end every session', async () => {
  const { headers } = await desk.anonymous.post(path, { email: member.email, password });
  const mine = desk.anonymous.with({ cookie: String(headers['set-cookie']).split(';')[0] ?? '' });
  await updateMember(member.ctx, member.id, { password: `${password}!` });
  expect((await mine.get('/api/v1/contacts/')).status).toBe(401);
  // One that gave the old password before, and was looked at meanwhile.
  const late = {
    email: member.email,
    origin: { address: '127.0.0.1', network: '127.0.0.0/24', device: null },
    userAgent: '',
    factor: 'none',
    passwordHash: 'old',
  } as const;
  await expect(openSession(desk.runtime, { ...member, workspace_id: desk.workspace.id }, late)).rejects.toMatchObject({
    code: 'unauthorized',
  });
  await member.update({ isActive: false });
  expect(await desk.anonymous.post(path, { email: member.email, password: `${password}!` })).toMatchObject({
    status: 401,
    body: { error: 'Invalid email or password.' },
  });
  await member.update({ isActive: true });
});

it('refuses in the same words whether the email is known or not', async () => {
  for (const email of [member.email, 'nobody@desk.test'])
    expect(await desk.anonymous.post(path, { email, password: 'wrong password' })).toMatchObject({
      status: 401,
      body: { error: 'Invalid email or password.' },
    });
});

it.each<[string, unknown, number]>([
  ['nothing', {}, 400],
  ['a list', [], 400],
  ['a number for an email', { email: 7, password: 'x' }, 401],
  ['NUL', { email: 'a\0@b.test', password: 'x' }, 400],
  ['a huge body', { email: 'x'.repeat(20_000) }, 413],
  ['an object for a password', { email: 'a@b.test', password: { $ne: '' } }, 400],
])('%s is refused', async (_name, body, status) => {
  expect((await desk.anonymous.post(path, body)).status).toBe(status);
});

describe('a password that is guessed first', () => {
  const known = 'This password is widely known. Choose another one.';
  const close = 'This password is too close to the name or email. Choose another one.';
  const weak = [
    ...['password', 'PASSWORD1', 'Passw0rd!', 'dragon2026', '12345678', 'aaaaaaaa', 'abcdefgh', '98765432'].map(
      (words) => [words, known] as const,
    ),
    ...['Weidenfeller', 'weidenfeller-2026', 'Lovis.Weidenfeller1', 'lovis@weidenfeller.test'].map(
      (words) => [words, close] as const,
    ),
  ];

  it('is refused wherever one is set, and others are not', async () => {
    const lovis = await createMember(desk.workspace, { email: 'lovis@weidenfeller.test', name: 'Lovis Weidenfeller' });
    for (const [words, reason] of weak)
      await expect(updateMember(lovis.ctx, lovis.id, { password: words })).rejects.toMatchObject({
        status: 400,
        details: { fields: { password: [reason] } },
      });
    await updateMember(lovis.ctx, lovis.id, { password: 'lovis likes long walks' });

    const own = await createMember(desk.workspace);
    await updateMember(own.ctx, own.id, { password });
    const renew = { current_password: password, revoke_api_keys: false, disconnect_agents: false };
    expect(
      await (await createSession(own)).api.post('/api/v1/password/', { ...renew, new_password: 'letmein1' }),
    ).toMatchObject({ status: 400, body: { new_password: [known] } });
  });
});

describe('guessing passwords', () => {
  let behind: TestApi;
  const pauses: number[] = [];
  beforeAll(async () => {
    behind = await sharedDesk('no sandbox', {
      clock: { now: () => new Date(), pause: (ms) => Promise.resolve(void pauses.push(ms)) },
    });
  });
  beforeEach(() => void pauses.splice(0));
  afterAll(() => behind.close());

  const from = (address: string, cookie = ''): ApiClient =>
    behind.anonymous.with({ 'x-forwarded-for': address, cookie });
  const guess = async (address: string, email: string, cookie = ''): Promise<number> =>
    (await from(address, cookie).post(path, { email, password: 'guess' })).status;
  const enter = async (address: string, email: string, cookie = ''): Promise<{ status: number; device: string }> => {
    const { status, headers } = await from(address, cookie).post(path, { email, password });
    return { status, device: /device=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '' };
  };
  const person = async (): Promise<TestMember> => {
    const made = await createMember(behind.workspace, { role: 'agent' });
    await updateMember(made.ctx, made.id, { password });
    return made;
  };

  it.each([
    ['a /24 of IPv4', (host: number) => `192.0.2.${host}`, '192.0.3.1'],
    ['a /48 of IPv6', (host: number) => `2001:db8:7:${host}::1`, '2001:db8:8::1'],
  ])('ends after 10 failures in 15 minutes at one account from %s, and nowhere else', async (_name, at, elsewhere) => {
    const { email } = await person();
    for (let host = 0; host < 9; host += 1) expect(await guess(at(host), ` ${email.toUpperCase()}`)).toBe(401);
    expect((await enter(at(100), email)).status).toBe(200);
    expect(await guess(at(101), email)).toBe(401);
    const refused = await from(at(102)).post(path, { email, password });
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await enter(elsewhere, email)).status).toBe(200);
    expect(pauses).toEqual([]);
  });

  it('makes the answers of an account late from 20 failures an hour over all networks, at most 8 s', async () => {
    const { email } = await person();
    // Counted as a guess is, without hashing its password.
    const fail = (network: string) => countSignIn(behind.runtime, email, { address: network, network, device: null });
    for (let count = 0; count < 19; count += 1) await fail(`10.0.${count}.0/24`);
    expect(await guess('10.0.19.1', email)).toBe(401);
    expect(pauses).toEqual([]);
    // The right password is late, too, and no failure.
    expect((await enter('10.1.0.1', email)).status).toBe(200);
    for (let count = 0; count < 41; count += 1) await fail(`10.2.${count}.0/24`);
    expect(await guess('10.2.41.1', email)).toBe(401);
    const expected = [1, 2, 4, 8].flatMap((seconds) => Array.from({ length: 10 }, () => seconds * 1_000));
    expect(pauses).toEqual([1_000, ...expected, 8_000, 8_000]);
    expect(await guess('10.3.0.1', (await person()).email)).toBe(401);
    expect(pauses).toHaveLength(43);
  });

  it('leaves ten failures of its own to a browser that has signed in before', async () => {
    const [{ email }, other] = [await person(), await person()];
    const { device } = await enter('10.4.0.1', email);
    const foreign = (await enter('10.4.0.1', other.email)).device;
    for (let count = 0; count < 10; count += 1) expect(await guess('10.4.0.2', email)).toBe(401);
    for (const cookie of ['', foreign, device.slice(0, -4), 'device=', 'device=a.b'])
      expect((await enter('10.4.0.3', email, cookie)).status).toBe(429);
    for (let count = 0; count < 10; count += 1) expect(await guess('10.4.0.4', email, device)).toBe(401);
    expect((await enter('10.4.0.4', email, device)).status).toBe(429);
  });

  it('in an open session ends after 10, and counts apart from sign-ins', async () => {
    const mine = await person();
    const session = await createSession(mine);
    for (let count = 0; count < 10; count += 1) expect(await guess('10.5.0.1', mine.email)).toBe(401);
    const change = { new_password: `${password}?`, revoke_api_keys: false, disconnect_agents: false };
    const guessInside = async (): Promise<number> =>
      (await session.api.post('/api/v1/password/', { ...change, current_password: 'guess' })).status;
    for (let count = 0; count < 10; count += 1) expect(await guessInside()).toBe(400);
    expect(await guessInside()).toBe(429);
    expect((await enter('10.5.1.1', mine.email)).status).toBe(200);
  });

  it('ends after 20 failures a minute from one address, whatever the emails; a /64 is one address', async () => {
    for (let count = 0; count < 20; count += 1)
      expect(await guess(`2001:db8:1:2::${count}`, `${unique()}@x.test`)).toBe(401);
    const refused = await from('2001:db8:1:2:ffff::2').post(path, { email: `${unique()}@x.test`, password: 'guess' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await guessByPage('2001:db8:1:2:aaaa::1')).toBe(429);
    expect(await guessByPage('2001:db8:1:3::1')).toBe(401);
  });

  /** The page's form, as a browser sends it. */
  async function guessByPage(address: string): Promise<number> {
    const headers = { 'x-forwarded-for': address };
    const page = await fetch(`${behind.url}/dashboard/sign-in/`, { headers });
    const form = /name="form" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
    const body = new URLSearchParams({ form, email: `${unique()}@x.test`, password: 'guess' });
    return (await fetch(page.url, { method: 'POST', headers: { ...headers, cookie, origin: 'null' }, body })).status;
  }
});

it.each<[string, Record<string, string>, string, number]>([
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'email=a%40b.test&password=x', 415],
  ['text that holds JSON', { 'content-type': 'text/plain' }, '{"email":"a@b.test","password":"x"}', 415],
  [
    'JSON of another origin',
    { 'content-type': 'application/json', origin: 'http://evil.example' },
    '{"email":"a@b.test","password":"x"}',
    403,
  ],
])('%s signs nobody in', async (_name, headers, body, status) => {
  const answer = await desk.anonymous.request('POST', path, body, headers);
  expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined]);
});

describe('sessions', () => {
  it('are listed and ended by their own member only', async () => {
    const [mine, other] = [await createMember(desk.workspace), await createMember(desk.workspace)];
    const [here, there, foreign] = [await createSession(mine), await createSession(mine), await createSession(other)];
    const listed = await here.api.get('/api/v1/sessions/');
    expect(listed.body.map((session) => session.is_current).sort()).toEqual([false, true]);
    const [theirs] = (await foreign.api.get('/api/v1/sessions/')).body;
    expect((await here.api.delete(`/api/v1/sessions/${theirs?.id}/`)).status).toBe(404);
    const away = listed.body.find((session) => !session.is_current);
    expect((await here.api.delete(`/api/v1/sessions/${away?.id}/`)).status).toBe(204);
    expect((await there.api.get('/api/v1/sessions/')).status).toBe(401);
    const again = await createSession(mine);
    expect((await here.api.delete('/api/v1/sessions/?keep_current=true')).status).toBe(204);
    expect((await again.api.get('/api/v1/sessions/')).status).toBe(401);
    expect((await here.api.delete('/api/v1/sessions/')).status).toBe(204);
    expect((await here.api.get('/api/v1/sessions/')).status).toBe(401);
    expect((await foreign.api.get('/api/v1/sessions/')).status).toBe(200);
  });

  it('end after a day without use', async () => {
    const idle = await createMember(desk.workspace);
    const session = await createSession(idle);
    const unused = (hours: number): Promise<unknown> =>
      desk.runtime.db.rows(
        `UPDATE sessions SET last_used_at = now() - $hours * interval '1 hour' WHERE member_id = $id`,
        { hours, id: idle.id },
      );
    await unused(23);
    expect((await session.api.get('/api/v1/sessions/')).status).toBe(200);
    await eventually(async () => {
      const row = await desk.runtime.db.row<{ used: boolean }>(
        `SELECT last_used_at > now() - interval '1 hour' AS used FROM sessions WHERE member_id = $id`,
        { id: idle.id },
      );
      if (!row?.used) throw new Error('the use is not written yet');
    });
    await unused(25);
    expect((await session.api.get('/api/v1/sessions/')).status).toBe(401);
  });

  it('share one rate bucket per member', async () => {
    const narrow = await sharedDesk('no sandbox', { env: { RATE_LIMIT_PER_MINUTE: '3' } });
    const busy = await createMember(narrow.workspace);
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1)
      statuses.push((await (await createSession(busy)).api.get('/api/v1/sessions/')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    await narrow.close();
  });
});

describe('a new password', () => {
  const change = (current: string, next: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
    current_password: current,
    new_password: next,
    revoke_api_keys: false,
    disconnect_agents: false,
    ...more,
  });

  it('ends every session, and keys and agents only where the member says so', async () => {
    const changer = await createMember(desk.workspace, { role: 'agent', permissions: ['contact.view'] });
    await updateMember(changer.ctx, changer.id, { password });
    const key = await desk.workspace.key(['contact.view'], { member: changer });
    const [here, there] = [await createSession(changer), await createSession(changer)];
    const undecided = { current_password: password, new_password: `${password}1` };
    expect(await here.api.post('/api/v1/password/', undecided)).toMatchObject({
      status: 400,
      body: { revoke_api_keys: ['This field is required.'], disconnect_agents: ['This field is required.'] },
    });
    expect(await here.api.post('/api/v1/password/', change('wrong', `${password}1`))).toMatchObject({
      status: 400,
      body: { current_password: ['The current password is wrong.'] },
    });
    expect(await here.api.post('/api/v1/password/', change(password, 'short'))).toMatchObject({
      status: 400,
      body: { new_password: ['Ensure this field has at least 8 characters.'] },
    });
    expect(await here.api.post('/api/v1/password/', change(password, `${password}1`))).toMatchObject({
      status: 200,
      body: { sessions_ended: 2, api_keys_revoked: 0, agents_disconnected: 0 },
    });
    for (const session of [here, there]) expect((await session.api.get('/api/v1/sessions/')).status).toBe(401);
    expect((await key.api.get('/api/v1/contacts/')).status).toBe(200);
    const last = await createSession(changer);
    expect(
      await last.api.post(
        '/api/v1/password/',
        change(`${password}1`, `${password}2`, { revoke_api_keys: true, disconnect_agents: true }),
      ),
    ).toMatchObject({ status: 200, body: { sessions_ended: 1, api_keys_revoked: 1 } });
    expect((await key.api.get('/api/v1/contacts/')).status).toBe(401);
  });
});

it.each(['/.//evil.example/x', '/a/..//evil.example', '//evil.example', '/\\evil.example', 'https://evil.example/'])(
  'after signing in %s leads nowhere else',
  (next) => {
    expect(ownPath(desk.runtime, next)).toBe('/dashboard/');
  },
);
