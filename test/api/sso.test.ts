import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../api/core/clock';
import { systemCtx } from '../../api/core/context';
import { updateMember } from '../../api/services/identity/members/service';
import { memberOfSubject } from '../../api/services/identity/members/subjects';
import { createMember, createSession, type TestMember } from '../factories/members';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { createBrowser, type Reply, type TestBrowser } from '../oauth/support';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { adminJson } from '../support/cli';
import { addApp, freshCodes } from '../support/factors';
import { startProvider, type IdentityProvider } from '../support/identityProvider';

type Json = Record<string, unknown>;
const sso = '/api/v1/workspace/sso/';
const start = '/dashboard/sign-in/sso/';
const domain = 'green.example';
const password = 'nine lives of a cat';

let desk: TestApi;
let idp: IdentityProvider;
/** A company with two workspaces of other people: each has its own way back. */
let other: { readonly workspace: TestWorkspace; readonly idp: IdentityProvider };
let aheadMs = 0;
let people = 0;

beforeAll(async () => {
  const clock = { ...systemClock, dueOffsetMs: () => aheadMs };
  desk = await sharedDesk('no sandbox', { clock });
  const workspace = await createWorkspace(desk);
  idp = await startProvider([callbackOf(desk.workspace)]);
  other = { workspace, idp: await startProvider([callbackOf(workspace)]) };
  await setUp(desk.workspace, idp, domain);
  await setUp(workspace, other.idp, 'blue.example');
});
afterAll(async () => {
  await desk.close();
  await idp.close();
  await other.idp.close();
});
beforeEach(async () => {
  aheadMs = 0;
  idp.forge = null;
  const sub = `sub-${++people}`;
  idp.person = { sub, email: `${sub}@${domain}`, email_verified: true, name: 'Sam Green' };
  await ownerChanges({ new_member_role: 'agent', require_sso: false, require_factor_for_sso: false });
});

function callbackOf({ id }: TestWorkspace): string {
  return `${desk.url}${start}${id}/`;
}

async function setUp(workspace: TestWorkspace, provider: IdentityProvider, of: string): Promise<void> {
  const { issuer, clientId, clientSecret } = provider;
  const given = ['--issuer', issuer, '--client-id', clientId, '--client-secret', clientSecret];
  await adminJson(desk.test, 'sso', 'set', '--workspace', String(workspace.id), '--domain', of, ...given);
}

async function ownerChanges(changes: Json): Promise<Json> {
  const { api } = await createSession(desk.workspace.owner);
  const { status, body } = await api.patch(sso, changes);
  return { ...body, status };
}

/** Begins a sign-in; returns where the provider sends the browser back to. */
async function begin(browser: TestBrowser, email = idp.person.email, provider = idp): Promise<string> {
  const answer = await browser.submit(start, [['email', email]]);
  if (!answer.location) throw new Error(`no way to the provider: ${answer.text}`);
  return provider.visit(answer.location.href);
}

async function signIn(browser = createBrowser(desk)): Promise<Reply> {
  return browser.get(await begin(browser));
}

/** What a refusal tells the person. */
const told = ({ text }: Reply): string => /role="alert" id="error"><p>([^<]*)/.exec(text)?.[1] ?? text.slice(0, 200);
const isIn = async ({ cookies }: TestBrowser): Promise<boolean> => {
  const api = desk.anonymous.with({ cookie: `token=${cookies.get('token') ?? ''}` });
  return (await api.get('/api/v1/sessions/')).status === 200;
};
const refusals: [string, () => Partial<IdentityProvider['person']>, RegExp][] = [
  ['an email that is not verified', () => ({ email_verified: false }), /does not say that your email was verified/],
  ['an email of a foreign domain', () => ({ email: 'sam@evil.example' }), /not one of green\.example/],
  ['an email of two parts', () => ({ email: 'sam@evil.example@green.example' }), /no email that can be used/],
  ['a domain that only ends alike', () => ({ email: 'sam@notgreen.example' }), /not one of green\.example/],
];
/** Subjects that are no name of one person (OpenID Connect Core 2). */
const noSubjects = ['', ' ', '\u00e9', 'a\u0000b', 'x'.repeat(256)];
type Claims = Record<string, unknown>;
const forgeries: [string, (claims: Claims) => Claims][] = [
  ['another issuer', (claims) => ({ ...claims, iss: other.idp.issuer })],
  ['another client', (claims) => ({ ...claims, aud: 'another' })],
  ['another nonce', (claims) => ({ ...claims, nonce: 'another' })],
  ['no nonce', ({ nonce: _nonce, ...claims }) => claims],
];

describe('a person of the company', () => {
  it('becomes a member at the first sign-in, as the workspace says, and is the same one at the next', async () => {
    await ownerChanges({ new_member_permissions: ['chat.view'] });
    const browser = createBrowser(desk);
    const answer = await signIn(browser);
    expect([answer.status, answer.location?.pathname]).toEqual([303, '/dashboard/']);
    expect(await isIn(browser)).toBe(true);
    const find = (): Promise<unknown> =>
      desk.runtime.db.rows(
        'SELECT email, name, role, permissions, password_hash FROM members WHERE sso_subject = $sub',
        {
          sub: idp.person.sub,
        },
      );
    const { email } = idp.person;
    const made = [{ email, name: 'Sam Green', role: 'agent', permissions: ['chat.view'], password_hash: null }];
    expect(await find()).toEqual(made);
    // The provider knows them by a subject that stays.
    idp.person = { ...idp.person, email: `other@${domain}` };
    expect((await signIn()).status).toBe(303);
    expect(await find()).toEqual(made);
    const session = await desk.runtime.db.row<{ hours: number }>(
      `SELECT extract(epoch FROM max(x.expires_at) - now()) / 3600 AS hours FROM sessions x
       JOIN members m ON m.id = x.member_id WHERE m.sso_subject = $sub`,
      { sub: idp.person.sub },
    );
    expect(Number(session?.hours)).toBeLessThanOrEqual(12);
  });

  it('is let in as the member with their email, or not at all where only members are', async () => {
    await ownerChanges({ new_member_role: null });
    expect(told(await signIn())).toMatch(/no member of the workspace/);
    const member = await createMember(desk.workspace, { email: idp.person.email });
    const browser = createBrowser(desk);
    expect((await signIn(browser)).status).toBe(303);
    expect(await isIn(browser)).toBe(true);
    // Deactivated: out at once, and not in again.
    await updateMember(member.ctx, member.id, { isActive: false });
    expect(await isIn(browser)).toBe(false);
    expect(told(await signIn())).toMatch(/Your membership was ended/);
  });

  it('does not get another membership by an email that was given away', async () => {
    await signIn();
    idp.person = { ...idp.person, sub: 'somebody new' };
    expect(told(await signIn())).toMatch(/another account of your company/);
  });

  it('keeps the emails of its domain: others cannot add them, and lose what they had without proof', async () => {
    const early = await createWorkspace(desk, { connected: false });
    const set = ['sso', 'set', '--workspace', String(early.id), '--domain'];
    // Who came before the domain was given.
    const squatter = await createMember(early, { email: 'ceo@late.example' });
    const session = await createSession(squatter);
    const late = await createWorkspace(desk, { connected: false });
    expect(
      await adminJson(desk.test, 'sso', 'set', '--workspace', String(late.id), '--domain', 'late.example'),
    ).toMatchObject({ members_elsewhere: [{ workspace_id: early.id, id: squatter.id, email: 'ceo@late.example' }] });
    const owner = await createSession(early.owner);
    const added = { email: 'Board@Late.example', role: 'agent' };
    expect((await owner.api.post('/api/v1/team-members/', added)).body).toEqual({
      email: ['Emails of late.example belong to another workspace of this installation.'],
    });
    const ctx = systemCtx(desk.runtime, late.id, 'sign-in');
    const person = { subject: 'the ceo', email: 'ceo@late.example', name: 'Lea' };
    expect(await memberOfSubject(ctx, person, { role: 'admin', permissions: [] })).toMatchObject({
      workspace_id: late.id,
      email: 'ceo@late.example',
    });
    expect((await session.api.get('/api/v1/sessions/')).status).toBe(401);
    await expect(adminJson(desk.test, ...set, 'late.example')).rejects.toThrow('belongs to another workspace');
  });

  it.each(refusals)('is refused with %s', async (_what, change, words) => {
    const browser = createBrowser(desk);
    const email = idp.person.email;
    idp.person = { ...idp.person, ...change() };
    const answer = await browser.get(await begin(browser, email));
    expect([answer.status, told(answer)]).toEqual([403, expect.stringMatching(words)]);
    expect(await isIn(browser)).toBe(false);
  });

  it.each(noSubjects)('is refused where the provider calls them %j', async (sub) => {
    const browser = createBrowser(desk);
    idp.forge = { claims: (claims) => ({ ...claims, sub }) };
    const answer = await signIn(browser);
    expect([answer.status, told(answer)]).toEqual([
      403,
      expect.stringMatching(/does not say who you are|not accepted/),
    ]);
    expect(await isIn(browser)).toBe(false);
    const found = 'SELECT 1 FROM members WHERE sso_subject = $sub';
    expect(sub.includes('\u0000') ? [] : await desk.runtime.db.rows(found, { sub })).toEqual([]);
  });

  it('is known where the token names no more than the subject', async () => {
    idp.beThin();
    expect((await signIn()).status).toBe(303);
  });
});

describe('an answer that is not the one asked for', () => {
  it.each(forgeries)('is refused when its token names %s', async (_what, claims) => {
    const browser = createBrowser(desk);
    idp.forge = { claims };
    const answer = await signIn(browser);
    expect([answer.status, told(answer)]).toEqual([403, expect.stringMatching(/was not accepted/)]);
    expect(await isIn(browser)).toBe(false);
  });

  it('is refused with a key that was taken away; a new key is known at once', async () => {
    const withKey = idp.key;
    idp.rotate();
    expect((await signIn()).status).toBe(303);
    idp.forge = { withKey };
    expect(told(await signIn())).toMatch(/was not accepted/);
  });

  it('may be some seconds old by our clock, and no more', async () => {
    const hourMs = 3_600_000;
    aheadMs = hourMs + 10_000;
    expect((await signIn()).status).toBe(303);
    aheadMs = hourMs + 60_000;
    expect(told(await signIn())).toMatch(/was not accepted/);
  });

  it('is refused in another browser, a second time, and where it was not begun', async () => {
    const [browser, thief] = [createBrowser(desk), createBrowser(desk)];
    const callback = await begin(browser);
    expect(told(await thief.get(callback))).toMatch(/began in another browser/);
    const kept = browser.cookies.get('sso') ?? '';
    expect((await browser.get(callback)).status).toBe(303);
    expect(browser.cookies.has('sso')).toBe(false);
    expect(told(await browser.get(callback))).toMatch(/This sign-in is over/);
    // Nor does the provider take its code twice.
    expect(told(await browser.get(callback, { cookie: `sso=${kept}` }))).toMatch(/invalid_grant/);
  });

  it('is refused with the code of another person, or another state', async () => {
    const [sam, eve] = [createBrowser(desk), createBrowser(desk)];
    const mine = new URL(await begin(sam));
    const theirs = new URL(await begin(eve));
    const mixed = new URL(mine);
    mixed.searchParams.set('code', theirs.searchParams.get('code') ?? '');
    expect(told(await sam.get(mixed.href))).toMatch(/invalid_grant/);
    expect(told(await eve.get(mine.href))).toMatch(/was not accepted/);
  });

  it('is refused from another provider, and at the address of another workspace', async () => {
    const browser = createBrowser(desk);
    const callback = new URL(await begin(browser));
    const elsewhere = `${callbackOf(other.workspace)}${callback.search}`;
    expect(told(await browser.get(elsewhere))).toMatch(/This sign-in is over/);
    const again = new URL(await begin(browser));
    again.searchParams.set('iss', other.idp.issuer);
    expect(told(await browser.get(again.href))).toMatch(/was not accepted/);
  });

  it('leaves its reason in the audit log', async () => {
    idp.person = { ...idp.person, email_verified: false };
    await signIn();
    const { api } = await createSession(desk.workspace.owner);
    const { body } = await api.get('/api/v1/audit-log/?actor=member&action=signIn.ssoRefused');
    expect(body.results[0]).toMatchObject({ given: { why: expect.stringMatching(/verified/) as unknown } });
  });
});

describe('a workspace', () => {
  async function withPassword(role: TestMember['id'] extends number ? 'owner' | 'agent' : never): Promise<TestMember> {
    const member = await createMember(desk.workspace, { role });
    await updateMember(member.ctx, member.id, { password });
    return member;
  }
  const enter = async (member: TestMember, code?: string): Promise<number> =>
    (await desk.anonymous.post('/dashboard/session/', { email: member.email, password, ...(code ? { code } : {}) }))
      .status;

  it('signs in by its provider alone where it says so; an owner also by password and factor', async () => {
    const [owner, agent] = [await withPassword('owner'), await withPassword('agent')];
    const asOwner = (await createSession(owner)).api;
    expect((await asOwner.patch(sso, { require_sso: true })).body).toEqual({
      error: 'Sign in by the provider once yourself, to see that it works.',
    });
    await desk.runtime.db.rows(`UPDATE members SET sso_subject = 'the owner' WHERE id = $id`, { id: owner.id });
    expect((await asOwner.patch(sso, { require_sso: true })).status).toBe(409);
    const app = await addApp(asOwner);
    const before = (await createSession(agent)).api;
    expect((await asOwner.patch(sso, { require_sso: true })).status).toBe(200);
    const other = { issuer: `${desk.url}/other`, client_secret: 'x', require_sso: true };
    expect((await asOwner.patch(sso, other)).status).toBe(409);
    expect((await before.get('/api/v1/sessions/')).status).toBe(401);

    const { body: factors } = await asOwner.get<Json[]>('/api/v1/factors/');
    expect((await asOwner.delete(`/api/v1/factors/${String(factors[0]?.['id'])}/`)).status).toBe(409);

    expect(await enter(agent)).toBe(403);
    expect(await enter(await withPassword('owner'))).toBe(403);
    await freshCodes(desk.runtime);
    expect(await enter(owner)).toBe(401);
    expect(await enter(owner, app.code())).toBe(200);
    expect((await signIn()).status).toBe(303);
  });

  it('asks who came by it for its own second factor only where it says so', async () => {
    await desk.runtime.db.rows('UPDATE workspaces SET require_factor = true WHERE id = $id', { id: desk.workspace.id });
    const browser = createBrowser(desk);
    await signIn(browser);
    expect(await isIn(browser)).toBe(true);
    const owner = await createMember(desk.workspace, { role: 'owner' });
    await desk.runtime.db.rows('UPDATE workspaces SET require_factor = false WHERE id = $id', {
      id: desk.workspace.id,
    });
    const { api } = await createSession(owner);
    expect((await api.patch(sso, { require_factor_for_sso: true })).status).toBe(409);
    await addApp(api);
    expect((await api.patch(sso, { require_factor_for_sso: true })).status).toBe(200);
    expect(await isIn(browser)).toBe(false);
    const answer = await signIn(browser);
    expect(answer.location?.pathname).toBe('/dashboard/sign-in/factor/');
    expect(await isIn(browser)).toBe(false);
  });

  it('lets who came by it confirm by it, and nobody in their place', async () => {
    await ownerChanges({ new_member_role: 'admin' });
    const browser = createBrowser(desk);
    await signIn(browser);
    const api = desk.anonymous.with({ cookie: `token=${browser.cookies.get('token') ?? ''}` });
    const key = { name: 'Shop', scopes: ['chat.view'] };
    await desk.runtime.db.rows(`UPDATE sessions SET verified_at = now() - interval '11 minutes'`);
    expect((await api.post('/api/v1/api-keys/', key)).headers['x-error-code']).toBe('reauthentication_required');
    const verify = '/dashboard/verify/sso/?next=/dashboard/api-keys/';
    const me = idp.person;
    const confirm = async (): Promise<Reply> => {
      const { location } = await browser.get(verify);
      return browser.get(await idp.visit(location?.href ?? ''));
    };
    idp.person = { ...me, sub: 'a neighbour', email: `neighbour@${domain}` };
    expect((await confirm()).status).toBe(403);
    expect((await api.post('/api/v1/api-keys/', key)).status).toBe(403);
    idp.person = me;
    expect((await confirm()).location?.pathname).toBe('/dashboard/api-keys/');
    expect((await api.post('/api/v1/api-keys/', key)).status).toBe(201);
  });

  it('leaves it to owners, keeps the secret sealed, and shows it to no other issuer', async () => {
    const admin = (await createSession(await createMember(desk.workspace, { role: 'admin' }))).api;
    expect((await admin.patch(sso, { new_member_role: 'admin' })).status).toBe(403);
    expect((await admin.get(sso)).body).toMatchObject({ domain, has_client_secret: true, issuer: idp.issuer });
    const row = JSON.stringify(await desk.runtime.db.rows('SELECT * FROM sso_providers'));
    expect(row).not.toContain(idp.clientSecret);
    const browser = createBrowser(desk);
    await signIn(browser);
    expect(await ownerChanges({ issuer: other.idp.issuer })).toMatchObject({ status: 200, has_client_secret: false });
    expect(await isIn(browser)).toBe(false);
    await setUp(desk.workspace, idp, domain);
  });

  it('has a domain that no other one has, and none before the operator gives it', async () => {
    const third = await createWorkspace(desk, { connected: false });
    const { api } = await createSession(third.owner);
    expect((await api.patch(sso, { issuer: idp.issuer, client_id: 'x' })).status).toBe(409);
    const set = ['sso', 'set', '--workspace', String(third.id), '--domain'];
    await expect(adminJson(desk.test, ...set, domain)).rejects.toThrow('belongs to another workspace');
    expect(await adminJson(desk.test, ...set, 'Third.example')).toMatchObject({
      domain: 'third.example',
      issuer: null,
    });
    await adminJson(desk.test, 'sso', 'remove', '--workspace', String(third.id));
    const answer = await createBrowser(desk).submit(start, [['email', 'a@third.example']]);
    expect([answer.status, told(answer)]).toEqual([403, expect.stringMatching(/No company/)]);
  });

  it('is told when its provider is away or is another one than it says', async () => {
    const { port } = new URL(idp.issuer);
    const session = await createSession(desk.workspace.owner);
    const change = (issuer: string): Promise<unknown> => session.api.patch(sso, { issuer });
    await change(`http://localhost:${port}`);
    const email = idp.person.email;
    const wrong = await createBrowser(desk).submit(start, [['email', email]]);
    expect([wrong.status, told(wrong)]).toEqual([403, expect.stringMatching(/was not accepted/)]);
    const script = createServer((_request, response) => {
      const issuer = `http://127.0.0.1:${(script.address() as AddressInfo).port}`;
      const at = (path: string): string => `${issuer}/${path}`;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          issuer,
          authorization_endpoint: 'javascript:alert(1)',
          token_endpoint: at('t'),
          jwks_uri: at('k'),
        }),
      );
    });
    await new Promise<void>((resolve) => script.listen(0, '127.0.0.1', resolve));
    await change(`http://127.0.0.1:${(script.address() as AddressInfo).port}`);
    const scripted = await createBrowser(desk).submit(start, [['email', email]]);
    script.close();
    expect([scripted.status, told(scripted)]).toEqual([403, expect.stringMatching(/no web address/)]);
    await change('http://127.0.0.1:1');
    const away = await createBrowser(desk).submit(start, [['email', email]]);
    expect([away.status, told(away)]).toEqual([503, expect.stringMatching(/cannot be reached/)]);
    await setUp(desk.workspace, idp, domain);
  });
});
