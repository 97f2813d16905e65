import { broadcastBody, createBroadcast } from '../factories/broadcasts';
import { createMember, createSession, type TestMember } from '../factories/members';
import { adminJson } from '../support/cli';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';

type Json = Record<string, unknown>;

const webhooks = '/api/v1/webhooks/';
const broadcasts = '/api/v1/broadcasts/';
const everything = ['webhook.manage', 'broadcast.manage', 'chat.view', 'contact.view', 'template.view'] as const;

let desk: TestApi;
let owner: ApiClient;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  owner = (await createSession(desk.workspace.owner)).api;
});
afterAll(() => desk.close());

/** Something that goes on by itself: a webhook on messages or contacts, and a broadcast of next year. */
interface Made {
  readonly webhook: number;
  readonly broadcast: number;
}

async function make(api: ApiClient, events = ['message.received']): Promise<Made> {
  const webhook = await api.post(webhooks, { url: 'https://example.com/hook', events });
  const broadcast = await api.post(broadcasts, broadcastBody(desk.workspace));
  const id = broadcast.body.id;
  const confirmed = await api.post(`${broadcasts}${id}/confirm/`, { scheduled_at: '2031-01-01T09:00:00Z' });
  expect([webhook.status, broadcast.status, confirmed.status]).toEqual([201, 201, 200]);
  return { webhook: webhook.body.id, broadcast: id };
}

/** What goes on: [the webhook is active, the broadcast is scheduled]. */
async function goesOn({ webhook, broadcast }: Made): Promise<[boolean, boolean]> {
  const hook = (await desk.api.get(`${webhooks}${webhook}/`)).body;
  const { body } = await desk.api.get(`${broadcasts}${broadcast}/`);
  return [hook['is_active'] === true, body['status'] === 'scheduled'];
}

const idsOf = (made: unknown): unknown =>
  Object.fromEntries(Object.entries(made as Json).map(([name, rows]) => [name, (rows as Json[]).map(({ id }) => id)]));

async function maker(): Promise<{ member: TestMember; api: ApiClient; path: string }> {
  const member = await createMember(desk.workspace, { permissions: everything });
  return { member, api: (await createSession(member)).api, path: `/api/v1/team-members/${member.id}/` };
}

describe('what a revoked key made', () => {
  it('is listed, and stops with it; that of another key goes on', async () => {
    const { member } = await maker();
    const [key, other] = [await desk.workspace.key(['all'], { member }), await desk.workspace.key(['all'], { member })];
    const [made, others] = [await make(key.api), await make(other.api)];
    const path = `/api/v1/api-keys/${key.id}/`;
    await desk.runtime.db.rows(
      `WITH event AS (INSERT INTO webhook_events (workspace_id, type, subject_type, subject_id, sequence, fanned_out_at)
         VALUES ($workspaceId, 'message.received', 'contact', 1, 1, now()) RETURNING id)
       INSERT INTO webhook_deliveries (workspace_id, subscription_id, event_id, turn, next_attempt_at)
       SELECT $workspaceId, $id, id, 1, now() + interval '1 hour' FROM event`,
      { workspaceId: desk.workspace.id, id: made.webhook },
    );
    expect(idsOf((await owner.get(`${path}made/`)).body)).toEqual({
      webhooks: [made.webhook],
      broadcasts: [made.broadcast],
      rules: [],
    });
    expect((await owner.delete(path)).status).toBe(204);
    expect(await goesOn(made)).toEqual([false, false]);
    expect(await goesOn(others)).toEqual([true, true]);
    expect((await desk.api.get(`${webhooks}${made.webhook}/`)).body).toMatchObject({
      disabled_at: expect.any(String),
      disabled_reason: 'The API key that made it was revoked.',
    });
    const { body: log } = await desk.api.get(`${webhooks}${made.webhook}/deliveries/`);
    expect(log.results).toMatchObject([{ status: 'cancelled', next_attempt_at: null }]);
    expect(idsOf((await owner.get(`${path}made/`)).body)).toEqual({ webhooks: [], broadcasts: [], rules: [] });
  });

  it('goes on where the request says so, and a second time changes nothing', async () => {
    const key = await desk.workspace.key(['all']);
    const made = await make(key.api);
    const path = `/api/v1/api-keys/${key.id}/`;
    expect((await owner.delete(`${path}?keep_webhooks=true&keep_broadcasts=true`)).status).toBe(204);
    expect((await owner.delete(path)).status).toBe(204);
    expect(await goesOn(made)).toEqual([true, true]);
  });

  it('stops where a member revokes their keys with a new password; what they made themselves goes on', async () => {
    const { member, api } = await maker();
    const password = 'four words stand here';
    await member.update({ password });
    const session = (await createSession(member)).api;
    const key = await desk.workspace.key(['all'], { member });
    const [byKey, byHand] = [await make(key.api), await make(session)];
    const { body } = await session.post('/api/v1/password/', {
      current_password: password,
      new_password: `${password} too`,
      revoke_api_keys: true,
      disconnect_agents: false,
      keep_broadcasts: true,
    });
    expect(body).toMatchObject({ api_keys_revoked: 1 });
    expect(idsOf(body['stopped'])).toEqual({ webhooks: [byKey.webhook], broadcasts: [], rules: [] });
    expect(idsOf(body['kept'])).toEqual({ webhooks: [], broadcasts: [byKey.broadcast], rules: [] });
    expect([await goesOn(byKey), await goesOn(byHand)]).toEqual([
      [false, true],
      [true, true],
    ]);
    expect((await api.get('/api/v1/sessions/')).status).toBe(401);
  });
});

describe('what a member made', () => {
  it('is listed, and stops when they are deactivated, whatever it was made with', async () => {
    const { member, api, path } = await maker();
    const key = await desk.workspace.key(['all'], { member });
    const made = [await make(api), await make(key.api)];
    const all = {
      webhooks: made.map(({ webhook }) => webhook),
      broadcasts: made.map(({ broadcast }) => broadcast),
      rules: [],
    };
    expect(idsOf((await owner.get(`${path}made/`)).body)).toEqual(all);
    const { status, body } = await owner.patch(path, { is_active: false, revoke_api_keys: true });
    expect([status, idsOf(body['stopped']), idsOf(body['kept'])]).toEqual([
      200,
      all,
      { webhooks: [], broadcasts: [], rules: [] },
    ]);
    for (const one of made) expect(await goesOn(one)).toEqual([false, false]);
  });

  it('goes on where the request says so, and is told', async () => {
    const { api, path } = await maker();
    const made = await make(api);
    const { body } = await owner.patch(path, { is_active: false, keep_webhooks: true });
    expect(idsOf(body['stopped'])).toEqual({ webhooks: [], broadcasts: [made.broadcast], rules: [] });
    expect(idsOf(body['kept'])).toEqual({ webhooks: [made.webhook], broadcasts: [], rules: [] });
    expect(await goesOn(made)).toEqual([true, false]);
    // Nothing is taken by it any more.
    await owner.patch(path, { name: 'Gone' });
    expect(await goesOn(made)).toEqual([true, false]);
  });

  it.each<[string, string, [boolean, boolean]]>([
    ['webhooks, with the permission to manage them', 'webhook.manage', [false, true]],
    ['webhooks that show what they may not see any more', 'chat.view', [false, true]],
    ['broadcasts, with the permission for these', 'broadcast.manage', [true, false]],
    ['nothing, with one that neither took', 'contact.view', [true, true]],
  ])('stops as far as a permission took it: %s', async (_name, taken, left) => {
    const { api, path } = await maker();
    const made = await make(api);
    const permissions = everything.filter((permission) => permission !== taken);
    expect((await owner.patch(path, { permissions })).status).toBe(200);
    expect(await goesOn(made)).toEqual(left);
  });

  it('stops where an owner becomes an agent, also by the CLI, which lists it and is in the security log', async () => {
    const member = await createMember(desk.workspace, { role: 'owner' });
    const made = await make((await createSession(member)).api, ['*']);
    const told = await adminJson(desk.test, 'member', 'update', String(member.id), '--role', 'agent');
    expect(idsOf(told['stopped'])).toEqual({ webhooks: [made.webhook], broadcasts: [made.broadcast], rules: [] });
    expect(await goesOn(made)).toEqual([false, false]);
    const log = await desk.runtime.db.rows<Json>(
      `SELECT action, subject_id, actor_type, request_id FROM security_log
       WHERE workspace_id = $workspaceId AND request_id = 'admin-cli' ORDER BY id`,
      { workspaceId: desk.workspace.id },
    );
    expect(log.map(({ action, subject_id: subject }) => [action, subject])).toEqual([
      ['webhooks.stopped', made.webhook],
      ['broadcasts.unscheduled', made.broadcast],
      ['teamMembers.update', member.id],
    ]);
  });
});

it('drafts, and webhooks that are not active, are none of it', async () => {
  const key = await desk.workspace.key(['all']);
  const { body } = await key.api.post(webhooks, {
    url: 'https://example.com/hook',
    events: ['contact.created'],
    is_active: false,
  });
  const draft = await createBroadcast(desk.workspace);
  expect((await owner.get(`/api/v1/api-keys/${key.id}/made/`)).body).toEqual({
    webhooks: [],
    broadcasts: [],
    rules: [],
  });
  expect((await owner.delete(`/api/v1/api-keys/${key.id}/`)).status).toBe(204);
  expect((await desk.api.get(`${webhooks}${String(body['id'])}/`)).body).toMatchObject({ disabled_at: null });
  expect((await desk.api.get(`${broadcasts}${draft}/`)).body).toMatchObject({ status: 'draft' });
});
