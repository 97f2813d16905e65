import type { ServerResponse } from 'node:http';
import { loadConfig } from '../../api/core/config';
import { createWebhookClient, type WebhookClient } from '../../api/core/http/webhookClient';
import { createRuntime, type Runtime } from '../../api/core/runtime';
import { removeExpired } from '../../api/services/processes/maintenance/service';
import { sendPushes } from '../../api/services/resources/notices/push';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { ownerSession } from '../factories/macros';
import { createMember, createSession, type TestMember, type TestSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { leaveNothingTo } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { startPushService, type PushService } from '../support/pushService';

/** What members are told of, and how it reaches their browsers (contract 18.9). */

let desk: TestApi;
/** A server that asks nobody at private addresses. */
let guarded: TestApi;
let pushing: PushService;
/** Gives up a push service that is called silent after a second, and others when the product does. */
let patient: WebhookClient;
let kim: TestMember;
let lou: TestMember;
let kims: TestSession;
let lous: TestSession;
beforeAll(async () => {
  guarded = await sharedDesk('plain', { env: { WEBHOOK_ALLOW_PRIVATE: '0' } });
  desk = await sharedDesk('plain');
  pushing = await startPushService();
  const usual = createWebhookClient({ webhookAllowPrivate: true });
  const impatient = createWebhookClient({ webhookAllowPrivate: true }, { timeoutMs: 1_000 });
  patient = {
    ...usual,
    post: (url, headers, body) => (url.includes('silent') ? impatient : usual).post(url, headers, body),
    close: async () => void (await Promise.all([usual.close(), impatient.close()])),
  };
  kim = await createMember(desk.workspace, { name: 'Kim', permissions: ['chat.view'] });
  lou = await createMember(desk.workspace, { name: 'Lou', permissions: ['chat.view', 'chat.assign'] });
  [kims, lous] = [await createSession(kim), await createSession(lou)];
});
afterAll(async () => {
  await desk.close();
  await guarded.close();
  await patient.close();
  await pushing.close();
});
beforeEach(async () => {
  await leaveNothingTo(desk, 'sendPushes');
  await desk.runtime.db.rows('DELETE FROM push_subscriptions');
  pushing.pushes.length = 0;
  pushing.answer = () => 201;
});
afterEach(() => expect(pushing.faults).toEqual([]));

interface Notice {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly href: string;
  readonly is_quiet: boolean;
  readonly sounds: boolean;
}

const told = async ({ api }: TestSession): Promise<Notice[]> => (await api.get('/api/v1/notices/')).body;
const kindsOf = async (session: TestSession): Promise<string[]> =>
  (await told(session)).map(({ kind, body }) => `${kind} ${body}`);
const customer = async (name: string): Promise<TestCustomer> => {
  const one = createCustomer(desk.workspace, { name });
  await one.writes('Hello');
  await desk.runtime.db.rows('DELETE FROM notices');
  return one;
};
const assign = ({ api }: Pick<TestSession, 'api'>, { handle }: TestCustomer, change: object) =>
  api.patch(`/api/v1/conversations/${handle}/`, change);
const set = ({ api }: TestSession, settings: object) => api.patch('/api/v1/notification-settings/', settings);
/** Lets a browser take push. */
const subscribe = async ({ api }: TestSession, browser: string): Promise<number> =>
  Number((await api.post('/api/v1/push-subscriptions/', pushing.subscribe(browser))).body['id']);
/** Pushes all that waits, as a worker would, at the time that a test says. */
async function push(how: { readonly at?: Date; readonly webhooks?: WebhookClient } = {}): Promise<void> {
  const { at } = how;
  const runtime: Runtime = {
    ...desk.runtime,
    webhooks: how.webhooks ?? patient,
    ...(at && { clock: { now: () => at } }),
  };
  while (await sendPushes(runtime));
}
/** Returns when it is a time of UTC next to now, before or after: a push service takes no signature of another day. */
function nearest(time: string): Date {
  const today = Date.parse(`${new Date().toISOString().slice(0, 10)}T${time}:00Z`);
  const days = Math.round((Date.now() - today) / 86_400_000);
  return new Date(today + days * 86_400_000);
}
const again = (): Promise<unknown> => desk.runtime.db.rows('UPDATE notices SET claimed_until = NULL');
const waiting = (): Promise<unknown[]> =>
  desk.runtime.db.rows('SELECT id FROM notices WHERE push_until IS NOT NULL ORDER BY id');
const pushedTo = (): string[] => pushing.pushes.map(({ browser }) => browser).sort();

describe('who is told', () => {
  it('whoever is given a conversation by another', async () => {
    const anna = await customer('Anna');
    await assign(desk, anna, { assigned_member: kim.id });
    expect(await told(kims)).toEqual([
      expect.objectContaining({
        kind: 'assigned',
        title: 'Assigned to you',
        body: 'Anna',
        href: `/dashboard/inbox/${anna.handle}/?view=all`,
        is_quiet: false,
        sounds: true,
      }),
    ]);
    // Who takes it knows.
    await assign(lous, anna, { assigned_member: lou.id });
    expect(await told(lous)).toEqual([]);
    await assign(desk, anna, { assigned_member: null });
    expect(await told(kims)).toHaveLength(1);
  });

  it.each([
    [{ permissions: ['ticket.view'] }, 0],
    [{ permissions: ['ticket.view', 'chat.view'] }, 1],
    [{ role: 'admin' }, 1],
  ] as const)('of a conversation that they are given, where they may see it: %j', async (of, count) => {
    const member = await createMember(desk.workspace, of);
    const anna = await customer('Anna');
    expect((await assign(desk, anna, { assigned_member: member.id })).status).toBe(200);
    expect(await desk.runtime.db.rows('SELECT member_id FROM notices')).toHaveLength(count);
  });

  it('the member who has it of each message; all who could take it when a customer begins to wait', async () => {
    const [mine, free] = [await customer('Mine'), createCustomer(desk.workspace, { name: 'Free' })];
    await assign(desk, mine, { assigned_member: kim.id });
    await desk.runtime.db.rows('DELETE FROM notices');
    await mine.writes('One');
    await mine.writes('Two');
    await free.writes('Is anybody there?');
    await free.writes('Hello?');
    expect(await kindsOf(kims)).toEqual(['unassigned Free', 'message Mine', 'message Mine']);
    expect(await kindsOf(lous)).toEqual(['unassigned Free']);
  });

  it('in a team inbox its members only, and nobody who may not see conversations or is gone', async () => {
    const [gone, blind] = await Promise.all([
      createMember(desk.workspace, { permissions: ['chat.view'] }),
      createMember(desk.workspace, { permissions: ['ticket.view'] }),
    ]);
    await gone.update({ isActive: false });
    const inbox = await createTeamInbox(desk.workspace, [kim.id, gone.id, blind.id]);
    const anna = await customer('Anna');
    await assign(desk, anna, { assigned_team_inbox: inbox, conv_status: 'resolved' });
    await anna.writes('Again');
    const rows = await desk.runtime.db.rows<{ member_id: number }>('SELECT member_id FROM notices');
    expect(rows.map(({ member_id: id }) => id)).toEqual([kim.id]);
  });

  it('whom a note mentions', async () => {
    const anna = await customer('Anna');
    await lous.api.post(`/api/v1/conversations/${anna.handle}/notes/`, { body: 'Ask @Kim, says @Lou' });
    expect([await kindsOf(kims), await kindsOf(lous)]).toEqual([['mention Anna'], []]);
  });

  it('nobody of a kind that they have switched off', async () => {
    const anna = await customer('Anna');
    const off = Object.fromEntries(['assigned', 'message', 'mention'].map((kind) => [`notify_${kind}`, 'off']));
    await set(kims, off);
    await assign(desk, anna, { assigned_member: kim.id });
    await anna.writes('Hello?');
    await lous.api.post(`/api/v1/conversations/${anna.handle}/notes/`, { body: '@Kim' });
    expect(await told(kims)).toEqual([]);
    await set(kims, Object.fromEntries(Object.keys(off).map((name) => [name, 'push'])));
  });

  it('for an hour, and no longer', async () => {
    const anna = await customer('Anna');
    await assign(desk, anna, { assigned_member: kim.id });
    await desk.runtime.db.rows(`UPDATE notices SET created_at = now() - interval '11 minutes'`);
    expect(await told(kims)).toEqual([]);
    await desk.runtime.db.rows(`UPDATE notices SET created_at = now() - interval '61 minutes'`);
    await removeExpired(desk.runtime);
    expect(await desk.runtime.db.rows('SELECT 1 FROM notices')).toEqual([]);
  });
});

describe('the settings of a member', () => {
  it('are their own, and say what cannot be', async () => {
    const { body: usual } = await kims.api.get('/api/v1/notification-settings/');
    expect(usual).toEqual({
      notify_assigned: 'push',
      notify_message: 'push',
      notify_unassigned: 'page',
      notify_mention: 'push',
      notify_held: 'push',
      notify_sound: true,
      quiet_from: null,
      quiet_until: null,
    });
    const { body: changed } = await set(lous, { notify_unassigned: 'push', quiet_from: '22:00', quiet_until: '07:00' });
    expect(changed).toEqual({ ...usual, notify_unassigned: 'push', quiet_from: '22:00', quiet_until: '07:00' });
    expect((await kims.api.get('/api/v1/notification-settings/')).body).toEqual(usual);
    expect((await set(lous, { quiet_from: null })).body).toEqual({ quiet_from: ['Quiet hours begin and end.'] });
    expect((await set(lous, { quiet_until: '22:00' })).body).toEqual({
      quiet_until: ['Quiet hours end at another time than they begin.'],
    });
    for (const wrong of [{ quiet_from: '25:00' }, { quiet_from: '9:00' }, { notify_mention: 'mail' }])
      expect((await set(lous, wrong)).status).toBe(400);
    await set(lous, { ...usual });
  });

  it('silence quiet hours and what is to make no sound', async () => {
    const anna = await customer('Anna');
    await assign(desk, anna, { assigned_member: kim.id });
    await set(kims, { notify_sound: false });
    expect(await told(kims)).toMatchObject([{ is_quiet: false, sounds: false }]);
    await desk.runtime.db.rows(`UPDATE workspaces SET timezone = 'UTC' WHERE id = $id`, { id: desk.workspace.id });
    // From two hours ago until two hours from now.
    const [from, until] = [-2, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16));
    await set(kims, { notify_sound: true, quiet_from: from, quiet_until: until });
    expect(await told(kims)).toMatchObject([{ is_quiet: true, sounds: false }]);
    await set(kims, { quiet_from: null, quiet_until: null });
  });
});

describe('browsers that take push', () => {
  it('are known again, listed to their member alone, and removed by them alone', async () => {
    const given = pushing.subscribe('one');
    const add = ({ api }: TestSession) => api.post('/api/v1/push-subscriptions/', given);
    const list = async ({ api }: TestSession) => (await api.get('/api/v1/push-subscriptions/')).body;
    const { status, body } = await add(kims);
    expect([status, (await add(kims)).body['id']]).toEqual([201, body['id']]);
    expect(await list(kims)).toEqual([expect.objectContaining({ id: body['id'], is_current: true })]);
    expect(await list(await createSession(kim))).toMatchObject([{ id: body['id'], is_current: false }]);
    expect(await list(lous)).toEqual([]);
    const path = `/api/v1/push-subscriptions/${String(body['id'])}/`;
    expect((await lous.api.delete(path)).status).toBe(404);
    // The same browser, used by somebody else.
    await add(lous);
    expect([await list(kims), (await list(lous)).length]).toEqual([[], 1]);
    const [{ id } = { id: 0 }] = await list(lous);
    expect((await lous.api.delete(`/api/v1/push-subscriptions/${id}/`)).status).toBe(204);
  });

  it('keep their address sealed', async () => {
    await subscribe(kims, 'secret-address');
    const rows = await desk.runtime.db.rows<{ text: string }>('SELECT p::text AS text FROM push_subscriptions p');
    expect(rows).toHaveLength(1);
    expect(rows[0]?.text).not.toMatch(/secret-address|http/);
  });

  it.each([
    ['ftp://push.example.com/x', /https/],
    ['http://push.example.com/x', /https/],
    ['https://user:word@push.example.com/x', /user name/],
    ['https://127.0.0.1/x', /not public/],
    ['https://[::1]/x', /not public/],
    ['https://push.example.com:22/x', /port/],
    ['no address', /valid URL/],
  ])('may not be at %s', async (endpoint, problem) => {
    const { api } = await ownerSession(guarded.workspace);
    const { status, body } = await api.post('/api/v1/push-subscriptions/', { ...pushing.subscribe('x'), endpoint });
    expect([status, String(body['endpoint'])]).toEqual([400, expect.stringMatching(problem)]);
  });

  it('go with their session, and are told nothing when it is over', async () => {
    const [ended, over] = [await createSession(kim), await createSession(kim)];
    await subscribe(ended, 'ended');
    await subscribe(over, 'over');
    await subscribe(kims, 'stays');
    await ended.api.delete('/api/v1/sessions/?keep_current=false');
    expect(await desk.runtime.db.rows('SELECT 1 FROM push_subscriptions')).toEqual([]);
    const late = await createSession(kim);
    kims = await createSession(kim);
    await subscribe(late, 'late');
    await subscribe(kims, 'stays');
    await desk.runtime.db.rows(
      `UPDATE sessions SET last_used_at = now() - interval '25 hours'
       WHERE id = (SELECT min(session_id) FROM push_subscriptions)`,
    );
    await assign(desk, await customer('Anna'), { assigned_member: kim.id });
    await push();
    expect(pushedTo()).toEqual(['stays']);
  });
});

describe('a push', () => {
  it('is opened by its browser alone, and says what happened and with whom', async () => {
    const anna = await customer('Anna Main');
    await subscribe(kims, 'kim');
    await assign(desk, anna, { assigned_member: kim.id });
    await push();
    expect(pushing.pushes).toEqual([
      {
        browser: 'kim',
        ttl: '300',
        sub: 'mailto:ops@desk.test',
        shown: {
          tag: expect.stringMatching(/^notice-\d+$/),
          title: 'Assigned to you',
          body: 'Anna Main',
          href: `/dashboard/inbox/${anna.handle}/?view=all`,
        },
      },
    ]);
    expect(await waiting()).toEqual([]);
    await anna.writes('My card number is 4111');
    await push();
    expect(pushing.pushes).toHaveLength(2);
    expect(JSON.stringify(pushing.pushes)).not.toContain('card number');
  });

  it('gathers what waits for a member', async () => {
    const [anna, ben, cem] = [await customer('Anna'), await customer('Ben'), await customer('Cem')];
    await subscribe(kims, 'kim');
    for (const one of [anna, ben, cem]) await assign(desk, one, { assigned_member: kim.id });
    await push();
    expect(pushing.pushes.map(({ shown }) => shown.body)).toEqual(['Cem, and 2 more']);
  });

  it('is for the kinds that are to be pushed, and not for quiet hours', async () => {
    await desk.runtime.db.rows(`UPDATE workspaces SET timezone = 'Europe/Berlin' WHERE id = $id`, {
      id: desk.workspace.id,
    });
    const anna = await customer('Anna');
    await subscribe(kims, 'kim');
    await set(kims, { notify_assigned: 'page', quiet_from: '22:00', quiet_until: '07:00' });
    await assign(desk, anna, { assigned_member: kim.id });
    expect([await waiting(), await kindsOf(kims)]).toEqual([[], ['assigned Anna']]);
    await anna.writes('At night');
    await push({ at: nearest('21:30') });
    expect([pushing.pushes, await waiting()]).toEqual([[], []]);
    await anna.writes('In the morning');
    await push({ at: nearest('06:00') });
    expect(pushing.pushes.map(({ shown }) => shown.title)).toEqual(['New message']);
    await set(kims, { notify_assigned: 'push', quiet_from: null, quiet_until: null });
  });

  it('is tried again where it was not taken, and not where it was', async () => {
    await subscribe(kims, 'good');
    await subscribe(kims, 'bad');
    pushing.answer = (browser) => (browser === 'bad' ? 500 : 201);
    await assign(desk, await customer('Anna'), { assigned_member: kim.id });
    await push();
    expect([pushedTo(), (await waiting()).length]).toEqual([['bad', 'good'], 1]);
    // Claimed: not at once.
    await push();
    expect(pushedTo()).toEqual(['bad', 'good']);
    pushing.answer = () => 201;
    await again();
    await push();
    expect([pushedTo(), await waiting()]).toEqual([['bad', 'bad', 'good'], []]);
    expect(new Set(pushing.pushes.map(({ shown }) => shown.tag)).size).toBe(1);
  });

  it('is tried again where a later one was taken meanwhile, and not where it was taken itself', async () => {
    await subscribe(kims, 'good');
    await subscribe(kims, 'bad');
    const [anna, ben] = [await customer('Anna'), await customer('Ben')];
    pushing.answer = (browser) => (browser === 'bad' ? 500 : 201);
    await assign(desk, anna, { assigned_member: kim.id });
    await push();
    pushing.answer = () => 201;
    pushing.pushes.length = 0;
    await assign(desk, ben, { assigned_member: kim.id });
    // Anna's is claimed still.
    await push();
    await again();
    await push();
    const shown = pushing.pushes.map((one) => `${one.browser} ${one.shown.body}`);
    expect([shown.sort(), await waiting()]).toEqual([['bad Anna', 'bad Ben', 'good Ben'], []]);
  });

  it('is not tried after it is worth nothing, nor where it is refused for good', async () => {
    await subscribe(kims, 'kim');
    pushing.answer = () => 413;
    await assign(desk, await customer('Anna'), { assigned_member: kim.id });
    await push();
    expect(await waiting()).toEqual([]);
    pushing.answer = () => 500;
    await assign(desk, await customer('Ben'), { assigned_member: kim.id });
    await push();
    await desk.runtime.db.rows(`UPDATE notices SET claimed_until = NULL, push_until = now() - interval '1 second'`);
    await push();
    expect(pushing.pushes).toHaveLength(2);
  });

  it.each([404, 410])('ends the subscription of a browser that is gone (%s)', async (status) => {
    await subscribe(kims, 'gone');
    await subscribe(kims, 'here');
    pushing.answer = (browser) => (browser === 'gone' ? status : 201);
    await assign(desk, await customer('Anna'), { assigned_member: kim.id });
    await push();
    const { body } = await kims.api.get('/api/v1/push-subscriptions/');
    expect([body.length, await waiting()]).toEqual([1, []]);
  });

  it('to a push service that never answers holds up nobody else, and is tried again', async () => {
    await subscribe(kims, 'silent');
    await subscribe(lous, 'lou');
    pushing.answer = (browser) => (browser === 'silent' ? () => undefined : 201);
    const [anna, ben] = [await customer('Anna'), await customer('Ben')];
    await assign(desk, anna, { assigned_member: kim.id });
    await assign(desk, ben, { assigned_member: lou.id });
    await push();
    expect([pushedTo(), (await waiting()).length]).toEqual([['lou', 'silent'], 1]);
  });

  it('to a push service that never answers holds up no other workspace', async () => {
    const others = await createWorkspace(desk);
    const mia = await createMember(others, { permissions: ['chat.view'] });
    await subscribe(kims, 'silent');
    await subscribe(await createSession(mia), 'mia');
    const held: ServerResponse[] = [];
    pushing.answer = (browser) => (browser === 'silent' ? (response) => void held.push(response) : 201);
    const runtime = { ...desk.runtime, webhooks: createWebhookClient({ webhookAllowPrivate: true }) };
    await assign(desk, await customer('Anna'), { assigned_member: kim.id });
    expect(await sendPushes(runtime)).toBe(true);
    const ben = createCustomer(others, { name: 'Ben' });
    await ben.writes('Hello');
    await assign(others, ben, { assigned_member: mia.id });
    await sendPushes(runtime);
    expect([pushedTo(), held.map(({ closed }) => closed)]).toEqual([['mia', 'silent'], [false]]);
    for (const response of held) response.writeHead(201).end();
    await push();
    expect(await waiting()).toEqual([]);
    await runtime.webhooks.close();
  });

  it('goes to no private address, also where one was subscribed before that was forbidden', async () => {
    await subscribe(kims, 'near');
    await assign(desk, await customer('Anna'), { assigned_member: kim.id });
    const careful = createWebhookClient(loadConfig({ ...desk.test.env, WEBHOOK_ALLOW_PRIVATE: '0' }));
    await push({ webhooks: careful });
    expect(pushing.pushes).toEqual([]);
  });

  it('is sent by one of several workers, and by none without a key', async () => {
    await subscribe(kims, 'kim');
    await assign(desk, await customer('Anna'), { assigned_member: kim.id });
    const { VAPID_PRIVATE_KEY: _key, ...env } = desk.test.env;
    const bare = createRuntime(loadConfig(env), 'test', { logger: desk.runtime.logger });
    expect(await sendPushes(bare)).toBe(false);
    await bare.close();
    await Promise.all([push(), push(), push()]);
    expect(pushedTo()).toEqual(['kim']);
  });
});
