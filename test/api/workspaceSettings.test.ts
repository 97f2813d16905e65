import { createSession, createMember } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox', { env: { PLANS: 'basic, grand' } });
});
afterAll(() => desk.close());

const path = '/api/v1/workspace/';

it('shows the workspace to its members, and what may be chosen', async () => {
  const member = await createSession(await createMember(desk.workspace, { role: 'agent', permissions: [] }));
  expect(await member.api.get(path)).toMatchObject({
    status: 200,
    body: {
      id: desk.workspace.id,
      country: null,
      opt_out_words: ['STOP', 'UNSUBSCRIBE', 'OPTOUT', 'STOP PROMOTIONS'],
      opt_in_words: ['START', 'RESUBSCRIBE'],
      available_plans: ['basic', 'grand'],
    },
  });
});

it('lets choose a plan with the permission billing, which an owner gives and an admin cannot', async () => {
  const [owner, admin, clerk] = await Promise.all([
    createSession(desk.workspace.owner),
    createMember(desk.workspace, { role: 'admin' }),
    createMember(desk.workspace, { role: 'agent', permissions: [] }),
  ]);
  const [ofAdmin, ofClerk] = [await createSession(admin), await createSession(clerk)];
  const give = (api: ApiClient, id: number) => api.patch(`/api/v1/team-members/${id}/`, { permissions: ['billing'] });
  const choose = async (api: ApiClient): Promise<number> => (await api.post(`${path}plan/`, { plan: 'basic' })).status;
  expect([await choose(ofAdmin.api), await choose(ofClerk.api)]).toEqual([403, 403]);
  expect([(await give(ofAdmin.api, clerk.id)).status, (await give(ofAdmin.api, admin.id)).status]).toEqual([403, 403]);
  for (const { id } of [admin, clerk]) expect((await give(owner.api, id)).status).toBe(200);
  expect([await choose(ofAdmin.api), await choose(ofClerk.api)]).toEqual([200, 200]);
  expect((await ofAdmin.api.patch(path, { name: 'Still' })).status).toBe(200);
});

it('changes name, zone and the words of opting out and in', async () => {
  const { api } = await createSession(desk.workspace.owner);
  const changed = await api.patch(path, {
    name: 'Garden',
    timezone: 'Europe/Berlin',
    country: 'de',
    opt_out_words: [' halt ', 'Halt', 'stop'],
    opt_in_words: ['los'],
  });
  expect(changed).toMatchObject({
    status: 200,
    body: {
      name: 'Garden',
      timezone: 'Europe/Berlin',
      country: 'DE',
      opt_out_words: ['HALT', 'STOP'],
      opt_in_words: ['LOS'],
    },
  });
  // What a GET shows can be sent back.
  expect((await api.patch(path, changed.body)).body).toEqual(changed.body);
  expect(await api.patch(path, { country: 'Germany' })).toMatchObject({
    status: 400,
    body: { country: [expect.anything()] },
  });
  expect(await api.patch(path, { country: null })).toMatchObject({ status: 200, body: { country: null } });
  expect(await api.patch(path, { opt_out_words: [] })).toMatchObject({ status: 400 });
  expect(await api.patch(path, { opt_in_words: ['stop'] })).toMatchObject({
    status: 400,
    body: { opt_in_words: ['"STOP" cannot opt customers out and in at once.'] },
  });
  expect(await api.patch(path, { timezone: 'Mars/Base' })).toMatchObject({ status: 400 });
});

it('an expired trial lets one write through: the plan that ends it', async () => {
  const over = await createWorkspace(desk, { plan: null, trialEndsAt: new Date(Date.now() + 3_600_000) });
  const owner = await createSession(over.owner);
  await desk.runtime.db.rows(`UPDATE workspaces SET trial_ends_at = now() - interval '1 second' WHERE id = $id`, {
    id: over.id,
  });
  expect(await owner.api.patch(path, { name: 'Still' })).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining('POST /api/v1/workspace/plan/') as unknown },
  });
  expect((await over.api.post(`${path}plan/`, { plan: 'grand' })).status).toBe(403);
  const admin = await createSession(await createMember(over, { role: 'admin' }));
  expect((await admin.api.post(`${path}plan/`, { plan: 'grand' })).body).toMatchObject({
    error: expect.stringContaining('Missing scope: billing') as unknown,
  });
  expect(await owner.api.post(`${path}plan/`, { plan: 'gold' })).toMatchObject({
    status: 400,
    body: { plan: ['"gold" is not a valid choice. The plans are basic, grand.'] },
  });
  expect(await owner.api.post(`${path}plan/`, { plan: 'grand' })).toMatchObject({
    status: 200,
    body: { plan: 'grand' },
  });
  expect((await owner.api.patch(path, { name: 'Back' })).status).toBe(200);
  expect((await over.api.get('/api/v1/contacts/')).status).toBe(200);
});
