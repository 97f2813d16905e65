import { createContact } from '../factories/contacts';
import { createMember, createSession, type TestSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
let lena: TestSession;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  const permissions = ['chat.view', 'chat.assign'] as const;
  lena = await createSession(await createMember(desk.workspace, { permissions }));
});
afterAll(() => desk.close());

const path = '/api/v1/bulk-changes/';
const made = async (tag: string, count: number): Promise<string[]> =>
  (await Promise.all(Array.from({ length: count }, () => createContact(desk.workspace, { tags: [tag] })))).map(
    ({ receiver_id: handle }) => handle,
  );
const stateOf = async (handle = '') => {
  const { body } = await desk.api.get(`/api/v1/conversations/${handle}/`);
  return [body['conv_status'], body['priority'], body['tags']];
};
const change = (body: object) => lena.api.post(path, body);

it('a selection is changed, told in the trail, and taken back where nobody changed it since', async () => {
  const [first, second, third] = await made('sale', 3);
  await desk.api.patch(`/api/v1/conversations/${third}/`, { priority: 'high' });
  const { status, body } = await change({
    receiver_ids: [first, second, third],
    change: { priority: 'high', conv_status: 'resolved', add_tags: ['done'], remove_tags: ['sale'] },
  });
  expect([status, body.matched, body.changed, body.unchanged]).toEqual([201, 3, 3, 0]);
  expect(await stateOf(first)).toEqual(['resolved', 'high', ['done']]);
  const { body: trail } = await desk.api.get(`/api/v1/conversations/${first}/activity/`);
  expect(trail.results).toContainEqual(expect.objectContaining({ kind: 'status_changed', data: { bulk: body.id } }));

  await desk.api.patch(`/api/v1/conversations/${second}/`, { priority: 'urgent' });
  const undo = `${path}${body.id}/undo/`;
  expect((await (await createSession(desk.workspace.owner)).api.post(undo)).status).toBe(404);
  expect((await lena.api.post(undo)).body).toEqual({ restored: 2, kept: 1 });
  expect(await stateOf(first)).toEqual(['open', 'normal', ['sale']]);
  expect(await stateOf(second)).toEqual(['resolved', 'urgent', ['done']]);
  expect(await stateOf(third)).toEqual(['open', 'high', ['sale']]);
  expect((await lena.api.post(undo)).body).toEqual({ restored: 0, kept: 3 });
  await desk.runtime.db.rows("UPDATE events SET created_at = created_at - interval '61 seconds'");
  expect(await lena.api.post(undo)).toMatchObject({ status: 409 });
});

it('all that match are changed, in batches, and what has the values already is left alone', async () => {
  await made('many', 120);
  const asked = { filters: { tag: 'many', status: 'open' }, change: { conv_status: 'pending' } };
  const { body } = await change(asked);
  expect(body).toMatchObject({ matched: 120, changed: 120, unchanged: 0 });
  expect((await change(asked)).body).toMatchObject({ id: null, matched: 0 });
  const again = { filters: { tag: 'many' }, change: { conv_status: 'pending' } };
  expect((await change(again)).body).toMatchObject({ id: null, matched: 120, changed: 0, unchanged: 120 });
  expect((await lena.api.post(`${path}${body.id}/undo/`)).body).toEqual({ restored: 120, kept: 0 });
});

it.each([
  ['once: all are changed', 'rush', 60, 1, { changed: 60, refused: 0 }],
  ['for long: those before are changed, and are taken back', 'jam', 60, 99, { changed: 50, refused: 10 }],
  ['before anything is changed: nothing is', 'full', 10, 99, null],
])('a database that is too busy for the last batch %s', async (_what, tag, count, times, outcome) => {
  const { db } = desk.runtime;
  await made(tag, count);
  // What a sequence has given is not taken back with its transaction.
  await db.rows('CREATE SEQUENCE tries');
  await db.rows(`CREATE FUNCTION jam() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
      IF nextval('tries') <= ${times} THEN RAISE EXCEPTION 'trouble' USING ERRCODE = '55P03'; END IF;
      RETURN NEW; END $body$`);
  const [last] = await db.rows<{ id: number }>('SELECT max(id) AS id FROM conversations');
  await db.rows(`CREATE TRIGGER jam BEFORE UPDATE ON conversations FOR EACH ROW WHEN (NEW.id = ${last?.id})
    EXECUTE FUNCTION jam()`);
  const { status, body } = await change({ filters: { tag }, change: { priority: 'low' } });
  await db.rows('DROP FUNCTION jam() CASCADE');
  await db.rows('DROP SEQUENCE tries');
  expect([status, body]).toMatchObject(outcome ? [201, { matched: count, ...outcome }] : [503, {}]);
  if (!outcome) return;
  const undone = await lena.api.post(`${path}${body.id}/undo/`);
  expect(undone.body).toEqual({ restored: outcome.changed, kept: 0 });
});

it('a snooze is set and taken back, and a change that none takes is refused', async () => {
  const [handle] = await made('late', 1);
  const snooze = { conv_status: 'snoozed', snoozed_until: '2035-01-04T09:00:00Z' };
  const { body } = await change({ receiver_ids: [handle], change: snooze });
  expect((await stateOf(handle))[0]).toBe('snoozed');
  expect((await lena.api.post(`${path}${body.id}/undo/`)).body).toEqual({ restored: 1, kept: 0 });
  expect((await stateOf(handle))[0]).toBe('open');
  for (const [refused, field] of [
    [{ receiver_ids: [handle], change: {} }, 'change'],
    [{ change: { priority: 'low' } }, 'receiver_ids'],
    [{ receiver_ids: [handle], filters: {}, change: { priority: 'low' } }, 'receiver_ids'],
    [{ receiver_ids: [handle], change: { conv_status: 'snoozed' } }, 'snoozed_until'],
    [{ receiver_ids: [handle], change: { assigned_member: 999_999 } }, 'assigned_member'],
    [{ filters: { page: 2 }, change: { priority: 'low' } }, 'filters'],
  ] as const)
    expect(Object.keys((await change(refused)).body)).toEqual([field]);
});

it('changes the others where one of a selection is gone', async () => {
  const here = await createContact(desk.workspace);
  const change = { priority: 'low' };
  const selection = { receiver_ids: [here.receiver_id, '15550009999'], change };
  expect(await lena.api.post(path, selection)).toMatchObject({
    status: 201,
    body: { matched: 2, changed: 1, refused: 1 },
  });
  expect(await lena.api.post(path, { receiver_ids: ['15550009999'], change })).toMatchObject({
    status: 400,
    body: { receiver_ids: ['Invalid pk "15550009999" - object does not exist.'] },
  });
});

it('a view is its member’s own, and holds filters that can be used', async () => {
  const filters = { view: 'mine', tag: 'vip', assigned_member: 'me' };
  const { status, body } = await lena.api.post('/api/v1/views/', { name: 'Vip', filters });
  expect([status, body]).toEqual([201, expect.objectContaining({ name: 'Vip', filters })]);
  const owner = await createSession(desk.workspace.owner);
  expect((await owner.api.get('/api/v1/views/')).body).toEqual([]);
  expect((await owner.api.delete(`/api/v1/views/${body.id}/`)).status).toBe(404);
  expect((await lena.api.post('/api/v1/views/', { name: 'x', filters: { status: 'lost' } })).body).toEqual({
    filters: ['status: "lost" is not a valid choice.'],
  });
  expect((await lena.api.delete(`/api/v1/views/${body.id}/`)).status).toBe(204);
  expect((await lena.api.get('/api/v1/views/')).body).toEqual([]);
});
