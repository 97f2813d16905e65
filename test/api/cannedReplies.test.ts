import pg from 'pg';
import { sampleFile } from '../../dev/sandbox/play/samples';
import { ceilings } from '../../api/services/identity/workspaces/objectLimits';
import { removeFilesAnywhere } from '../../api/services/processes/files/remove';
import { createContact } from '../factories/contacts';
import { uploadFile } from '../factories/files';
import { ownerSession } from '../factories/macros';
import { createMember, createSession, type TestSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { lockedOut } from '../support/locks';

let desk: TestApi;
let owner: TestSession;
let lena: TestSession;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  owner = await ownerSession(desk.workspace);
  lena = await createSession(await createMember(desk.workspace, { permissions: ['chat.view'] }));
});
afterAll(() => desk.close());

const path = '/api/v1/canned-replies/';

it('the team’s are for all to use, one’s own for oneself, and each is filled in for a contact', async () => {
  const text = 'Dear {{ name }} of {{company}} ({{phone}}), {{name}}!';
  const team = await owner.api.post(path, { shortcut: 'dear', body: text, is_shared: true });
  expect([team.status, team.body.is_shared, team.body.filled]).toEqual([201, true, null]);
  expect((await lena.api.post(path, { shortcut: 'dear', body: 'My own' })).status).toBe(201);
  expect((await owner.api.get(path)).body.map(({ shortcut }) => shortcut)).toEqual(['dear']);

  const anna = await createContact(desk.workspace, { phone: '+491701112223', name: 'Anna $&' });
  const { body: filled } = await lena.api.get(`${path}?receiver_id=${anna.receiver_id}`);
  expect(filled.map((reply) => [reply.is_shared, reply.filled])).toEqual([
    [false, 'My own'],
    [true, expect.stringMatching(/^Dear Anna \$& of — \(\+?491701112223\), Anna \$&!$/)],
  ]);
  expect((await lena.api.get(`${path}?receiver_id=nobody`)).status).toBe(404);

  // What is the team’s takes the right to it; what is another member’s is not there.
  const refused = { status: 403, body: { error: expect.stringContaining('workspace.manage') as string } };
  expect(await lena.api.patch(`${path}${team.body.id}/`, { body: 'Hey' })).toMatchObject(refused);
  expect(await lena.api.delete(`${path}${team.body.id}/`)).toMatchObject(refused);
  expect(await lena.api.post(path, { shortcut: 'x', body: 'x', is_shared: true })).toMatchObject(refused);
  expect((await owner.api.get(`${path}${filled[0]?.id}/`)).status).toBe(404);
});

it('a shortcut is taken once by each, and a placeholder is one of the contact', async () => {
  await owner.api.post(path, { shortcut: 'Bye', body: 'Bye', is_shared: true });
  expect(await owner.api.post(path, { shortcut: 'bye', body: 'x', is_shared: true })).toMatchObject({
    status: 400,
    body: { shortcut: ['canned reply with this shortcut already exists.'] },
  });
  const { body: mine } = await owner.api.post(path, { shortcut: 'bye', body: 'x' });
  expect((await owner.api.patch(`${path}${mine.id}/`, { shortcut: 'BYE' })).status).toBe(200);
  for (const [body, field] of [
    [{ shortcut: 'a b', body: 'x' }, 'shortcut'],
    [{ shortcut: 'a', body: '{{secret}}' }, 'body'],
    [{ shortcut: 'a', body: '' }, 'body'],
  ] as const)
    expect(Object.keys((await owner.api.post(path, body)).body)).toEqual([field]);
});

it('of two changes at once to one shortcut the second is refused', async () => {
  const made = async (shortcut: string): Promise<string> =>
    `${path}${(await lena.api.post(path, { shortcut, body: 'x' })).body.id}/`;
  const [first, second] = [await made('left'), await made('right')];
  const holder = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query(`SELECT FROM canned_replies WHERE shortcut = 'left' FOR UPDATE`);
  const one = lena.api.patch(first, { shortcut: 'same' });
  await lockedOut(holder, 1);
  const other = lena.api.patch(second, { shortcut: 'same' });
  await Promise.race([other, lockedOut(holder, 2)]);
  await holder.query('ROLLBACK');
  await holder.end();
  expect([(await one).status, (await other).status]).toEqual([200, 400]);
});

it('one for the team is refused where any member would see too many', async () => {
  for (const shortcut of ['a', 'b', 'c']) await lena.api.post(path, { shortcut, body: 'Mine' });
  const { length: max } = (await lena.api.get(path)).body;
  expect((await owner.api.get(path)).body.length).toBeLessThan(max);
  const ceiling = jest.replaceProperty(ceilings, 'canned replies', { owner: 'member', max });
  const one = { shortcut: 'one-more', body: 'x' };
  expect(await owner.api.post(path, { ...one, is_shared: true })).toMatchObject({
    status: 409,
    body: { error: `A member has at most ${max} canned replies.` },
  });
  expect((await lena.api.post(path, one)).status).toBe(409);
  expect((await owner.api.post(path, one)).status).toBe(201);
  ceiling.restore();
});

it('files go with a reply: uploads of the workspace, kept as long as a reply has them', async () => {
  const png = sampleFile('image').data;
  const upload = (name: string): Promise<string> => uploadFile(desk.workspace, png, name);
  const [prices, map] = [await upload('prices.png'), await upload('map.png')];
  const made = await owner.api.post(path, {
    shortcut: 'prices',
    body: 'Ours',
    media_ids: [prices, map, prices],
  });
  expect(made).toMatchObject({
    status: 201,
    body: {
      media_ids: [prices, map],
      files: [
        { id: prices, mime_type: 'image/png', size: png.length, filename: 'prices.png' },
        { id: map, mime_type: 'image/png', size: png.length, filename: 'map.png' },
      ],
    },
  });
  const one = `${path}${made.body.id}/`;
  expect((await owner.api.patch(one, { body: 'All of ours' })).body.media_ids).toEqual([prices, map]);
  expect((await owner.api.patch(one, { media_ids: [map, prices] })).body.media_ids).toEqual([map, prices]);

  expect(await owner.api.patch(one, { media_ids: [prices, 'med_nothing'] })).toMatchObject({
    status: 400,
    body: { media_ids: ['There is no uploaded file "med_nothing".'] },
  });

  // A week later: what a reply has stays, what it had goes.
  const sweep = async (): Promise<string[]> => {
    await desk.runtime.db.rows("UPDATE files SET look_at = now() - interval '1 minute'");
    await removeFilesAnywhere(desk.runtime);
    const left = await desk.runtime.db.rows<{ public_id: string }>(
      'SELECT public_id FROM files WHERE public_id = ANY($ids) ORDER BY id',
      { ids: [prices, map] },
    );
    return left.map(({ public_id: id }) => id);
  };
  expect(await sweep()).toEqual([prices, map]);
  await owner.api.patch(one, { media_ids: [map] });
  expect(await sweep()).toEqual([map]);
  expect((await owner.api.delete(one)).status).toBe(204);
  expect(await sweep()).toEqual([]);
});
