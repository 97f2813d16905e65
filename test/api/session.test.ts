import { updateMember } from '../../api/services/members/service';
import { createMember, type TestMember } from '../factories/members';
import { startApi, type TestApi } from '../support/api';

let desk: TestApi;
let member: TestMember;
const password = 'correct horse battery';
beforeAll(async () => {
  desk = await startApi({ sandbox: false });
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
  await member.update({ isActive: false });
  expect(await desk.anonymous.post(path, { email: member.email, password: `${password}!` })).toMatchObject({
    status: 401,
    body: { error: 'Invalid email or password.' },
  });
  await member.update({ isActive: true });
});

it.each<[string, unknown, number]>([
  ['nothing', {}, 400],
  ['a list', [], 400],
  ['a number for an email', { email: 7, password: 'x' }, 401],
  ['NUL', { email: 'a\0@b.test', password: 'x' }, 400],
  ['an object for a password', { email: 'a@b.test', password: { $ne: '' } }, 400],
])('%s is refused', async (_name, body, status) => {
  expect((await desk.anonymous.post(path, body)).status).toBe(status);
});
