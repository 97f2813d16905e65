import { systemClock } from '../../api/core/clock';
import { operations } from '../../api/operations';
import { updateMember } from '../../api/services/identity/members/service';
import { useLink } from '../../api/services/identity/members/links';
import { awaitingOf, finishSignIn, signIn } from '../../api/services/identity/members/sessions';
import { createContact } from '../factories/contacts';
import { createMember, createSession, type TestMember } from '../factories/members';
import { unique, uniquePhone } from '../factories/unique';
import { pushSubscription, writeSamples } from '../factories/writeSamples';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { answerConsent, createBrowser, offeredScopes, openConsent, pkce, registerClient } from '../oauth/support';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { adminJson } from '../support/cli';
import type { ApiAnswer, ApiClient } from '../support/client';
import { addApp, freshCodes, type App } from '../support/factors';

type Json = Record<string, unknown>;
const password = 'nine lives of a cat';
const wrong = { status: 400, body: { code: ['This code is wrong, or was used before.'] } };
const asked = { status: 403, headers: { 'x-error-code': 'reauthentication_required' } };
const keys = '/api/v1/api-keys/';
const key = { name: 'Shop', scopes: ['chat.view'] };

let desk: TestApi;
/** Where it is set, the time that codes are judged by stands still. */
let heldAt: number | null = null;
beforeAll(async () => {
  const clock = { ...systemClock, dueOffsetMs: () => (heldAt === null ? 0 : heldAt - Date.now()) };
  desk = await sharedDesk('no sandbox', { clock });
});
afterAll(() => desk.close());

const age = async (): Promise<void> => {
  await desk.runtime.db.rows(`UPDATE sessions SET verified_at = now() - interval '11 minutes'`);
};

const enter = (member: TestMember, code?: string): Promise<ApiAnswer<Json>> =>
  desk.anonymous.post('/dashboard/session/', { email: member.email, password, ...(code ? { code } : {}) });

async function person(
  workspace: TestWorkspace = desk.workspace,
  role: 'owner' | 'admin' | 'agent' = 'agent',
): Promise<{ member: TestMember; api: ApiClient }> {
  const member = await createMember(workspace, { role });
  await updateMember(member.ctx, member.id, { password });
  return { member, api: (await createSession(member)).api };
}

async function withApp(): Promise<{ member: TestMember; api: ApiClient; app: App }> {
  const one = await person();
  return { ...one, app: await addApp(one.api) };
}

describe('an authenticator app', () => {
  it('counts once a code of it came back, ends other sessions, and is kept sealed', async () => {
    const { member, api } = await person();
    const other = (await createSession(member)).api;
    const { body: start } = await api.get('/api/v1/factors/totp/');
    const given = { enrolment: start['enrolment'], code: '000000', name: 'Phone' };
    expect((await api.post('/api/v1/factors/totp/', given)).status).toBe(400);
    const stranger = await person();
    expect((await stranger.api.post('/api/v1/factors/totp/', given)).status).toBe(400);
    const app = await addApp(api);
    expect((await api.post('/api/v1/factors/totp/', { ...app.given, name: 'Again' })).status).toBe(409);
    expect(new Set(app.codes).size).toBe(10);
    expect((await other.get('/api/v1/sessions/')).status).toBe(401);
    const { body } = await api.get('/api/v1/factors/');
    expect(body).toMatchObject([
      { kind: 'totp', name: 'App', codes_left: null },
      { kind: 'recovery', codes_left: 10 },
    ]);
    const stored = JSON.stringify(
      await desk.runtime.db.rows('SELECT * FROM factors WHERE member_id = $id', { id: member.id }),
    );
    for (const secret of [String(start['secret']), ...app.codes.map((code) => code.replaceAll('-', ''))])
      expect(stored).not.toContain(secret);
  });

  it('is asked for at sign-in; a code works once, as a recovery code does', async () => {
    const { member, app } = await withApp();
    await freshCodes(desk.runtime);
    const owed = await enter(member);
    expect(owed).toMatchObject({ status: 401, headers: { 'x-error-code': 'second_factor_required' } });
    expect(owed.headers['set-cookie']).toBeUndefined();
    expect(await enter(member, '123456')).toMatchObject(wrong);
    const code = app.code();
    expect((await enter(member, code)).status).toBe(200);
    expect(await enter(member, code)).toMatchObject(wrong);
    const [recovery = ''] = app.codes;
    expect((await enter(member, recovery.toLowerCase())).status).toBe(200);
    expect(await enter(member, recovery)).toMatchObject(wrong);
    const rows = await desk.runtime.db.rows<Json>(
      'SELECT action FROM security_log WHERE member_id = $id ORDER BY id DESC LIMIT 4',
      { id: member.id },
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'signIn.factorRefused',
      'signIn.awaitsFactor',
      'signIn',
      'signIn.awaitsFactor',
    ]);
  });

  it.each([
    [-1, 200],
    [1, 200],
    [-3, 400],
    [3, 400],
  ])('a clock that is %i steps away: %i', async (steps, status) => {
    const { member, app } = await withApp();
    await freshCodes(desk.runtime);
    heldAt = Date.now();
    expect((await enter(member, app.code(steps, heldAt))).status).toBe(status);
    heldAt = null;
  });

  const place = (network: string) => ({ address: `${network}.7`, network: `${network}.0/24`, device: null });
  const guess = async (member: TestMember, code: string, network: string): Promise<unknown> => {
    const origin = place(network);
    const half = await signIn(desk.runtime, { email: member.email, password, userAgent: 'Thief', ...origin });
    const awaiting = await awaitingOf(desk.runtime, half.token);
    if (!awaiting) throw new Error('no second factor is owed');
    return finishSignIn(desk.runtime, awaiting, { code }, origin).catch((error: unknown) => error);
  };
  const told = async (member: TestMember): Promise<unknown[]> => {
    const rows = await desk.runtime.db.rows<Json>(
      `SELECT action FROM security_log
       WHERE member_id = $id AND told IS NOT NULL AND action LIKE 'signIn%' ORDER BY id`,
      { id: member.id },
    );
    return rows.map(({ action }) => action);
  };

  it('cannot be guessed: ten wrong codes in a quarter of an hour from a network, and no other is kept', async () => {
    const { member, app } = await withApp();
    await freshCodes(desk.runtime);
    for (let count = 0; count < 10; count += 1)
      expect(await guess(member, '000000', '203.0.113')).toMatchObject({ status: 400 });
    expect(await guess(member, app.code(), '203.0.113')).toMatchObject({ code: 'throttled' });
    // A recovery code is looked at there, too; and from elsewhere any code.
    expect(await guess(member, app.codes[0] ?? '', '203.0.113')).toHaveProperty('token');
    expect(await guess(member, app.code(), '198.51.100')).toHaveProperty('token');
    expect(await told(member)).toEqual([
      'signIn.codesGuessed',
      'signIn.codesGuessed',
      'signIn.newPlace',
      'signIn.newPlace',
    ]);
  });

  it('fifty wrong codes in a day end what the password opens, and every session', async () => {
    const { member, api } = await withApp();
    const half = await signIn(desk.runtime, { email: member.email, password, userAgent: '', ...place('192.0.2') });
    const awaiting = await awaitingOf(desk.runtime, half.token);
    if (!awaiting) throw new Error('no second factor is owed');
    for (let count = 0; count < 50; count += 1) {
      expect((await api.get('/api/v1/sessions/')).status).toBe(200);
      const origin = place(`10.0.${count}`);
      await expect(finishSignIn(desk.runtime, awaiting, { code: '000000' }, origin)).rejects.toMatchObject({
        status: 400,
      });
    }
    expect((await api.get('/api/v1/sessions/')).status).toBe(401);
    expect((await enter(member)).status).toBe(401);
    expect((await told(member)).filter((action) => action === 'signIn.codesGuessed')).toHaveLength(10);
    const link = await adminJson(desk.test, 'member', 'link', String(member.id));
    await useLink(desk.runtime, String(link['link']).split('/').at(-2) ?? '', 'another nine lives', '127.0.0.1');
    const again = { email: member.email, password: 'another nine lives' };
    expect((await desk.anonymous.post('/dashboard/session/', again)).headers['x-error-code']).toBe(
      'second_factor_required',
    );
  });

  it('in a session ten wrong codes in a quarter of an hour, wherever it is used', async () => {
    const { api, app } = await withApp();
    await freshCodes(desk.runtime);
    const confirm = (code: string) => api.post('/api/v1/sessions/confirm/', { code });
    for (let count = 0; count < 10; count += 1) expect((await confirm('000000')).status).toBe(400);
    const refused = await confirm(app.code());
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    // A passkey and a recovery code are still looked at.
    expect((await api.post('/api/v1/sessions/confirm/', { passkey: {} })).status).toBe(400);
    expect((await confirm(app.codes[1] ?? '')).status).toBe(204);
  });

  it('half a sign-in opens nothing, and is over after ten minutes', async () => {
    const { member } = await withApp();
    await enter(member);
    const { token } = await createSession(member);
    const awaited = `UPDATE sessions SET factor = 'awaited' WHERE member_id = $id AND factor = 'none'`;
    await desk.runtime.db.rows(awaited, { id: member.id });
    const cookie = { cookie: `token=${token}` };
    expect((await desk.anonymous.get('/api/v1/sessions/', cookie)).status).toBe(401);
    expect((await desk.anonymous.get('/dashboard/inbox/', cookie)).headers['location']).toMatch(/sign-in/);
    expect((await desk.anonymous.get('/dashboard/sign-in/factor/', cookie)).status).toBe(200);
    await desk.runtime.db.rows(`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE member_id = $id`, {
      id: member.id,
    });
    expect((await desk.anonymous.get('/dashboard/sign-in/factor/', cookie)).status).toBe(303);
  });
});

it('a workspace demands one: who has shown none signs in again, and sets one up; the last one stays', async () => {
  const strict = await createWorkspace(desk);
  const { api } = await createSession(strict.owner);
  const colleague = await person(strict);
  const demands = async (require_factor: boolean) => api.patch('/api/v1/workspace/', { require_factor });
  expect((await demands(true)).status).toBe(409);
  const { codes } = await addApp(api);
  await age();
  expect((await demands(false)).status).toBe(200);
  expect(await demands(true)).toMatchObject(asked);
  const [first, second] = codes;
  await api.post('/api/v1/sessions/confirm/', { code: first });
  expect((await demands(true)).status).toBe(200);
  expect((await colleague.api.get('/api/v1/sessions/')).status).toBe(401);
  expect((await enter(colleague.member)).headers['x-error-code']).toBe('second_factor_required');
  expect((await enter(colleague.member, '123456')).status).toBe(400);
  const apps = async () => (await api.get('/api/v1/factors/')).body.filter(({ kind }) => kind === 'totp');
  const remove = async () => Promise.all((await apps()).map(({ id }) => api.delete(`/api/v1/factors/${id}/`)));
  expect(await remove()).toMatchObject([{ status: 409 }]);
  await addApp(api);
  const gone = await remove();
  expect(gone.map(({ status }) => status).sort()).toEqual([204, 409]);
  await age();
  expect(await demands(false)).toMatchObject(asked);
  await api.post('/api/v1/sessions/confirm/', { code: second });
  expect((await demands(false)).status).toBe(200);
  expect((await colleague.api.get('/api/v1/sessions/')).status).toBe(401);
  expect(await remove()).toMatchObject([{ status: 204 }]);
  expect((await api.get('/api/v1/factors/')).body).toEqual([]);
});

describe('what matters is asked again', () => {
  /** Writes of sessions and of what leaves the house that open no new way: each with why it asks nobody again. */
  const asksNobody: Readonly<Record<string, string>> = {
    'accounts.': 'what customers see of the business',
    'approvals.': 'a message that an agent asked for, once',
    'broadcasts.': 'messages to customers, as by hand',
    'bulkChanges.': 'changes within the workspace',
    'unreadMarks.': 'a habit of the member’s own',
    'concerns.read': 'what the member has seen',
    'calendars.': 'changes within the workspace',
    'cannedReplies.': 'changes within the workspace',
    'connectedAgents.disconnect': 'ends something',
    'contacts.import': 'what comes into the house',
    'handovers.create': 'changes within the workspace',
    'rules.brake': 'ends something',
    'rules.rehearse': 'changes nothing',
    'rules.delete': 'ends something',
    'rules.endRun': 'ends something',
    'rules.moveRun': 'one wait, of a rule that somebody has switched on',
    'macros.': 'changes within the workspace',
    'notes.': 'changes within the workspace',
    'notificationSettings.update': 'how the member is told',
    'oauthClients.disable': 'ends something',
    'ownSettings.update': 'how the pages of the member behave',
    'password.change': 'asks for the password itself',
    'presence.set': 'who looks at what',
    'pushSubscriptions.delete': 'ends something',
    'sessions.': 'ends something, or is the proof',
    'teamMembers.endSessions': 'ends something',
    'slaPolicies.': 'changes within the workspace',
    'teamInboxes.': 'changes within the workspace',
    'usage.importRates': 'prices',
    'views.': 'changes within the workspace',
    'webhooks.delete': 'ends something',
    'webhooks.redeliver': 'to an address that was proved before',
    'webhooks.replay': 'to an address that was proved before',
    'webhooks.test': 'to an address that was proved before',
    'workspace.choosePlan': 'what is paid for',
  };
  const reasonOf = (id: string): string | undefined => asksNobody[id] ?? asksNobody[id.replace(/\w+$/, '')];
  const outward = ['workspace.manage', 'webhook.manage', 'billing'];
  const decided = operations.filter(
    ({ method, audience, scope }) =>
      method !== 'GET' && (audience === 'session' || (scope !== null && outward.includes(scope))),
  );

  it.each(decided.map(({ id, asksAgain }) => [id, asksAgain] as const))('%s says whether it asks', (id, asksAgain) => {
    expect([asksAgain !== undefined, reasonOf(id) !== undefined]).toEqual(
      asksAgain === undefined ? [false, true] : [true, false],
    );
  });

  it.each(operations.filter(({ asksAgain }) => asksAgain === true).map((operation) => [operation.id, operation]))(
    '%s asks before anything else',
    async (_id, { method, path }) => {
      const { api } = await createSession(desk.workspace.owner);
      await age();
      const place = path.replaceAll(/\{\w+\}/g, '1');
      expect(await api.request(method, place, method === 'DELETE' ? undefined : {})).toMatchObject(asked);
    },
  );

  const changes: Readonly<Record<string, unknown>> = {
    opt_out_words: ['NEVER'],
    require_factor: true,
    url: 'https://example.org/elsewhere',
    events: ['*'],
    scopes: ['chat.assign'],
    is_active: true,
    state: 'on',
    endpoint: pushSubscription(unique())['endpoint'],
  };
  const byField = operations.flatMap((operation) =>
    Array.isArray(operation.asksAgain) ? operation.asksAgain.map((name: string) => [operation, name] as const) : [],
  );

  it.each(byField.map(([operation, name]) => [operation.id, name, operation] as const))(
    '%s asks where %s is another, and not for the rest',
    async (id, name, { method, path }) => {
      const { api } = await createSession(desk.workspace.owner);
      const sample = await writeSamples[id]?.(desk.workspace, `a${unique()}`, uniquePhone());
      const { id: made } = sample?.params ?? {};
      const place = path.replace('{id}', String(made));
      const whole = id.endsWith('.create') ? { ...sample?.body } : {};
      if (name === 'is_active') expect((await api.patch(place, { is_active: false })).status).toBe(200);
      await age();
      expect(await api.request(method, place, { ...whole, [name]: changes[name] })).toMatchObject(asked);
      if (method === 'PATCH') {
        const { body } = await api.get(place);
        expect((await api.patch(place, { ...body, [name]: body[name] })).status).toBe(200);
      }
    },
  );

  it('a browser that takes push is told again without asking, in the same session', async () => {
    const { api } = await createSession(desk.workspace.owner);
    const browser = pushSubscription(unique());
    expect((await api.post('/api/v1/push-subscriptions/', browser)).status).toBe(201);
    await age();
    expect((await api.post('/api/v1/push-subscriptions/', browser)).status).toBe(201);
    const { api: stolen } = await createSession(desk.workspace.owner);
    await age();
    expect(await stolen.post('/api/v1/push-subscriptions/', browser)).toMatchObject(asked);
  });

  it('with the second factor, after ten minutes, once for ten minutes', async () => {
    const { api } = await createSession(await createMember(desk.workspace, { role: 'admin' }));
    const app = await addApp(api);
    expect((await api.post(keys, key)).status).toBe(201);
    await age();
    expect(await api.post(keys, key)).toMatchObject(asked);
    expect((await api.get(keys)).status).toBe(200);
    expect(await api.post('/api/v1/sessions/confirm/', { code: '000000' })).toMatchObject(wrong);
    expect((await api.post('/api/v1/sessions/confirm/', { password })).status).toBe(400);
    expect(await api.post(keys, key)).toMatchObject(asked);
    await freshCodes(desk.runtime);
    expect((await api.post('/api/v1/sessions/confirm/', { code: app.code() })).status).toBe(204);
    expect((await api.post(keys, key)).status).toBe(201);
  });

  it('with the password where there is no second factor; keys are not asked', async () => {
    const { api } = await person(desk.workspace, 'admin');
    await age();
    const { receiver_id: handle } = await createContact(desk.workspace);
    expect((await api.delete(`/api/v1/contacts/${handle}/`)).status).toBe(403);
    expect((await api.post('/api/v1/sessions/confirm/', { password: 'another' })).status).toBe(400);
    expect((await api.post('/api/v1/sessions/confirm/', { password })).status).toBe(204);
    expect((await api.delete(`/api/v1/contacts/${handle}/`)).status).toBe(204);
    const { receiver_id: other } = await createContact(desk.workspace);
    expect((await desk.api.delete(`/api/v1/contacts/${other}/`)).status).toBe(204);
  });
});

it('consent to an agent leads to showing again who it is, and back', async () => {
  const session = await createSession(desk.workspace.owner);
  const app = await registerClient(desk.workspace);
  const browser = createBrowser(desk, session);
  const consent = await openConsent(app, browser, pkce().challenge);
  await age();
  const answer = await answerConsent(browser, consent, 'allow', offeredScopes(consent.text));
  expect([answer.status, answer.location?.pathname]).toEqual([303, '/dashboard/verify/']);
  expect(answer.location?.searchParams.get('next')).toMatch(/^\/oauth\/mcp\/consent\?request=/);
  const shown = await browser.get(`/dashboard/verify/${answer.location?.search ?? ''}`);
  expect([shown.status, shown.text.includes('proof_password')]).toEqual([200, true]);
});

it('what was lost is removed by an owner, or the operator: sessions end, and the member is told', async () => {
  const { member, api } = await withApp();
  const path = `/api/v1/team-members/${member.id}/factors/`;
  const admin = await createSession(await createMember(desk.workspace, { role: 'admin' }));
  expect((await admin.api.delete(path)).status).toBe(403);
  expect((await (await createSession(desk.workspace.owner)).api.delete(path)).status).toBe(204);
  expect((await api.get('/api/v1/sessions/')).status).toBe(401);
  expect((await enter(member)).status).toBe(200);
  const again = (await createSession(member)).api;
  const page = await desk.anonymous.get<string>('/dashboard/account/', {
    cookie: `token=${(await createSession(member)).token}`,
  });
  expect(page.body).toMatch(/second factors<\/strong>[^]*by Sam Member/);
  await addApp(again);
  expect(await adminJson(desk.test, 'member', 'forget-factors', String(member.id))).toEqual({ id: member.id });
  expect((await enter(member)).status).toBe(200);
});
