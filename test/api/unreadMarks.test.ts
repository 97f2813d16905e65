import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
let kim: TestApi['api'];
let lee: TestApi['api'];
let anna: TestCustomer;

beforeAll(async () => {
  desk = await sharedDesk('plain');
  const member = async (): Promise<TestApi['api']> =>
    (await createSession(await createMember(desk.workspace, { role: 'admin' }))).api;
  [kim, lee] = [await member(), await member()];
  anna = createCustomer(desk.workspace, { name: 'Anna' });
  await anna.writes('Hello');
});
afterAll(() => desk.close());

const read = (api: TestApi['api']) => api.post(`/api/v1/conversations/${anna.handle}/read/`);
const unread = async (api: TestApi['api'], query = 'unread=true'): Promise<string[]> =>
  (await api.get(`/api/v1/conversations/?${query}`)).body.results.map(({ receiver_id: id }) => id);

it('is a member’s own mark beside the count of the team, and goes as the member reads', async () => {
  await read(kim);
  expect(await unread(kim)).toEqual([]);
  const marked = await kim.post('/api/v1/unread-marks/', { receiver_ids: [anna.handle] });
  expect([marked.status, marked.body]).toEqual([200, { marked: 1 }]);
  expect((await kim.post('/api/v1/unread-marks/', { receiver_ids: [anna.handle] })).body).toEqual({ marked: 1 });
  expect([await unread(kim), await unread(kim, 'unread=false')]).toEqual([[anna.handle], []]);
  expect([await unread(lee), await unread(desk.api)]).toEqual([[], []]);
  expect((await kim.get(`/api/v1/conversations/${anna.handle}/`)).body['unread_count']).toBe(0);
  // What a colleague or a key reads is still to come back to.
  await read(lee);
  await read(desk.api);
  expect(await unread(kim)).toEqual([anna.handle]);
  await read(kim);
  expect(await unread(kim)).toEqual([]);
});

it('takes all that match, and is no matter of keys, strangers or other workspaces', async () => {
  expect((await lee.post('/api/v1/unread-marks/', { filters: { search: 'Anna' } })).body).toEqual({ marked: 1 });
  expect(await unread(lee)).toEqual([anna.handle]);
  expect((await desk.api.post('/api/v1/unread-marks/', { receiver_ids: [anna.handle] })).status).toBe(403);
  expect((await kim.post('/api/v1/unread-marks/', {})).status).toBe(400);
  const other = await createSession((await createWorkspace(desk)).owner);
  expect((await other.api.post('/api/v1/unread-marks/', { receiver_ids: [anna.handle] })).status).toBe(400);
  expect(await unread(other.api)).toEqual([]);
});

it('follows a contact that becomes another one, and is gone with one that is erased', async () => {
  const twin = createCustomer(desk.workspace, { name: 'Twin' });
  await twin.writes('Me, too');
  for (const api of [kim, lee]) await api.post('/api/v1/unread-marks/', { receiver_ids: [twin.handle] });
  await kim.post('/api/v1/unread-marks/', { receiver_ids: [anna.handle] });
  const merged = await lee.post(`/api/v1/contacts/${twin.handle}/merge/`, { into: anna.handle });
  expect(merged.status).toBe(200);
  expect([await unread(kim), await unread(lee)]).toEqual([[anna.handle], [anna.handle]]);
  expect((await desk.api.delete(`/api/v1/contacts/${anna.handle}/`)).status).toBe(204);
  const rows = await desk.runtime.db.rows('SELECT 1 FROM unread_marks WHERE workspace_id = $id', {
    id: desk.workspace.id,
  });
  expect(rows).toEqual([]);
});
