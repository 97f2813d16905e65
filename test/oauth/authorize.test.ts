import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { createMember, createSession, type TestSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import {
  answerConsent,
  authorizePath,
  codeForm,
  createBrowser,
  hiddenFields,
  obtainCode,
  offeredScopes,
  openConsent,
  pkce,
  postForm,
  redirectUri,
  registerClient,
  type TestBrowser,
  type TestClient,
} from './support';

let desk: TestApi;
let app: TestClient;
let session: TestSession;
let browser: TestBrowser;
const { challenge } = pkce();
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  app = await registerClient(desk.workspace, {
    redirectUris: [redirectUri, 'https://agent.example/cb?tenant=1', 'cursor://anysphere.cursor-mcp/oauth/callback'],
  });
  session = await createSession(desk.workspace.owner);
  browser = createBrowser(desk, session);
});
afterAll(() => desk.close());

/** The rows of grants of this workspace in a table that belongs to them. */
const rowsOf = (table: 'oauth_families' | 'oauth_codes'): Promise<unknown[]> =>
  desk.runtime.db.rows(`SELECT 1 FROM ${table} t JOIN oauth_grants g ON g.id = t.grant_id WHERE g.workspace_id = $id`, {
    id: desk.workspace.id,
  });
const grants = async (): Promise<number> => (await rowsOf('oauth_families')).length;

describe('RFC 6749 section 4.1.2.1: client or redirect URI in doubt: a page, never a redirect', () => {
  test.each<[string, Record<string, string | null>]>([
    ['unknown client', { client_id: 'client_nobody' }],
    ['no client', { client_id: null }],
    ['client with a NUL', { client_id: 'client_\0' }],
    ['no redirect_uri', { redirect_uri: null }],
    ['another path', { redirect_uri: 'https://agent.example/callback2' }],
    ['a prefix of it (C2 7: no substring match)', { redirect_uri: 'https://agent.example/c' }],
    ['another case', { redirect_uri: 'https://Agent.example/callback' }],
    ['a slash more', { redirect_uri: `${redirectUri}/` }],
    ['a parameter more', { redirect_uri: `${redirectUri}?x=1` }],
    ['a default port written out', { redirect_uri: 'https://agent.example:443/callback' }],
  ])('%s', async (_name, changes) => {
    const { status, location, headers, text } = await browser.get(authorizePath(app, challenge, changes));
    expect([status, location, headers.get('cache-control')]).toEqual([400, null, 'no-store']);
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    expect(text).toContain('The connection was not made');
  });

  test('a repeated client_id or redirect_uri (C2 15)', async () => {
    for (const name of ['client_id', 'redirect_uri']) {
      const { status, location } = await browser.get(
        `${authorizePath(app, challenge)}&${name}=https%3A%2F%2Fevil.example`,
      );
      expect([status, location]).toEqual([400, null]);
    }
  });

  test('a disabled client', async () => {
    const disabled = await registerClient(desk.workspace);
    await session.api.post(`/api/v1/oauth-clients/${disabled.pk}/disable/`, {});
    expect((await browser.get(authorizePath(disabled, challenge))).status).toBe(400);
  });

  test('loopback ports are exact too (contract 11.4: redirect_uri must equal the registered value)', async () => {
    const local = await registerClient(desk.workspace, { redirectUris: ['http://localhost:3118/callback'] });
    expect(
      (await browser.get(authorizePath(local, challenge, { redirect_uri: 'http://localhost:3119/callback' }))).status,
    ).toBe(400);
    expect((await browser.get(authorizePath(local, challenge))).status).toBe(303);
  });
});

describe('RFC 6749 section 4.1.2.1: every other fault goes back to the client with state and iss (RFC 9207)', () => {
  test.each<[string, Record<string, string | null>, string]>([
    ['C2 1: no code_challenge', { code_challenge: null }, 'invalid_request'],
    ['C2 2: a challenge without a method', { code_challenge_method: null }, 'invalid_request'],
    ['RFC 7636: plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another case of the method', { code_challenge_method: 's256' }, 'invalid_request'],
    ['C2 3: a challenge that is no SHA-256', { code_challenge: 'abc' }, 'invalid_request'],
    ['a padded challenge', { code_challenge: `${challenge}=` }, 'invalid_request'],
    ['no response_type', { response_type: null }, 'invalid_request'],
    ['implicit', { response_type: 'token' }, 'unsupported_response_type'],
    ['fragment answers', { response_mode: 'fragment' }, 'invalid_request'],
    ['C2 8: a scope beyond the seven', { scope: 'chat.view ticket.view' }, 'invalid_scope'],
    ['a scope that does not exist', { scope: 'everything' }, 'invalid_scope'],
    ['RFC 8707: another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['RFC 8707: a resource with a fragment', { resource: 'FRAGMENT' }, 'invalid_target'],
    ['an endless state', { state: 'x'.repeat(5_000) }, 'invalid_request'],
  ])('%s', async (_name, changes, error) => {
    const given = changes['resource'] === 'FRAGMENT' ? { resource: `${desk.url}/mcp#x` } : changes;
    const { status, location, headers } = await browser.get(authorizePath(app, challenge, given));
    expect(status).toBe(303);
    expect(location?.href.startsWith(`${redirectUri}?`)).toBe(true);
    expect(location?.searchParams.get('error')).toBe(error);
    expect(location?.searchParams.get('error_description')).toBeTruthy();
    expect(location?.searchParams.get('state')).toBe(changes['state'] ?? 'st');
    expect(location?.searchParams.get('iss')).toBe(desk.url);
    expect(location?.searchParams.has('code')).toBe(false);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test.each(['scope', 'state', 'code_challenge', 'response_type', 'resource', 'anything'])(
    'C2 15: a repeated %s is invalid_request',
    async (name) => {
      const { location } = await browser.get(
        `${authorizePath(app, challenge, { resource: `${desk.url}/mcp` })}&anything=1&${name}=again`,
      );
      expect(location?.searchParams.get('error')).toBe('invalid_request');
    },
  );

  test('C2 5: the error is added to a redirect URI with a query of its own, which stays as registered', async () => {
    const { location } = await browser.get(
      authorizePath(app, challenge, { redirect_uri: 'https://agent.example/cb?tenant=1', code_challenge: null }),
    );
    expect(location?.href.startsWith('https://agent.example/cb?tenant=1&')).toBe(true);
    expect([location?.searchParams.get('tenant'), location?.searchParams.get('error')]).toEqual([
      '1',
      'invalid_request',
    ]);
  });

  test('C2 6: state may be missing and is then not made up; it is echoed exactly', async () => {
    const without = await browser.get(authorizePath(app, challenge, { state: null, code_challenge: null }));
    expect(without.location?.searchParams.has('state')).toBe(false);
    const odd = 'a b+c%20&=é✓"<>';
    const page = await openConsent(app, browser, challenge, { state: odd });
    expect((await answerConsent(browser, page, 'deny', [])).location?.searchParams.get('state')).toBe(odd);
  });

  test('other methods are 405', async () => {
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect((await desk.anonymous.request(method, '/oauth/mcp/authorize')).status).toBe(405);
  });
});

describe('consent', () => {
  test('C2 4: GET issues nothing: it leads to a page, and only its form gives a code', async () => {
    const before = await grants();
    const page = await openConsent(app, browser, challenge);
    expect(page.status).toBe(200);
    expect(await grants()).toBe(before);
    expect(await rowsOf('oauth_codes')).toHaveLength(0);
    const answer = await answerConsent(browser, page, 'allow', ['chat.view']);
    // RFC 9700 section 4.12: 303, so that the form is not posted on.
    expect(answer.status).toBe(303);
    expect(answer.location?.origin + (answer.location?.pathname ?? '')).toBe(redirectUri);
    expect([...(answer.location?.searchParams.keys() ?? [])].sort()).toEqual(['code', 'iss', 'state']);
    expect(answer.location?.searchParams.get('iss')).toBe(desk.url);
  });

  test('the code comes from what was stored, not from what the form brings', async () => {
    const page = await openConsent(app, browser, challenge);
    const answer = await answerConsent(browser, page, 'allow', ['chat.view'], {
      redirect_uri: 'https://evil.example/',
      state: 'other',
      code_challenge: pkce().challenge,
    });
    expect(answer.location?.origin).toBe('https://agent.example');
    expect(answer.location?.searchParams.get('state')).toBe('st');
  });

  test('RFC 6749 section 4.1.2.1: deny and "nothing chosen" are access_denied and grant nothing', async () => {
    const before = await grants();
    for (const [decision, scopes] of [
      ['deny', ['chat.view']],
      ['allow', []],
    ] as const) {
      const answer = await answerConsent(browser, await openConsent(app, browser, challenge), decision, scopes);
      expect([
        answer.status,
        answer.location?.searchParams.get('error'),
        answer.location?.searchParams.get('iss'),
      ]).toEqual([303, 'access_denied', desk.url]);
    }
    expect(await grants()).toBe(before);
  });

  test('contract 11.4: granted ⊆ requested ∩ seven ∩ what the member holds, whatever the form says', async () => {
    const member = await createMember(desk.workspace, { permissions: ['chat.view', 'contact.view', 'ticket.view'] });
    const own = createBrowser(desk, await createSession(member));
    const page = await openConsent(app, own, challenge, { scope: 'chat.view chat.send_message' });
    expect(offeredScopes(page.text)).toEqual(['chat.view']);
    expect(page.text).toContain('you do not have this permission yourself');
    await answerConsent(own, page, 'allow', [
      'chat.view',
      'chat.send_message',
      'contact.view',
      'ticket.view',
      'workspace.manage',
    ]);
    const [grant] = await desk.runtime.db.rows<{ scopes: string[] }>(
      'SELECT scopes FROM oauth_grants WHERE member_id = $id',
      { id: member.id },
    );
    expect(grant?.scopes).toEqual(['chat.view']);
  });

  test('a permission that was taken away while the page was open is not granted', async () => {
    const member = await createMember(desk.workspace, { permissions: ['chat.view', 'contact.view'] });
    const own = createBrowser(desk, await createSession(member));
    const page = await openConsent(app, own, challenge);
    await member.update({ permissions: ['contact.view'] });
    await answerConsent(own, page, 'allow', ['chat.view', 'contact.view']);
    const [grant] = await desk.runtime.db.rows<{ scopes: string[] }>(
      'SELECT scopes FROM oauth_grants WHERE member_id = $id',
      { id: member.id },
    );
    expect(grant?.scopes).toEqual(['contact.view']);
  });

  test('a member who holds nothing of it can only cancel', async () => {
    const own = createBrowser(
      desk,
      await createSession(await createMember(desk.workspace, { permissions: ['ticket.view'] })),
    );
    const page = await openConsent(app, own, challenge);
    expect(page.text).not.toContain('value="allow"');
    expect((await answerConsent(own, page, 'allow', ['chat.view'])).location?.searchParams.get('error')).toBe(
      'access_denied',
    );
  });

  test('without a scope parameter the seven are offered', async () => {
    expect(offeredScopes((await openConsent(app, browser, challenge, { scope: null })).text)).toHaveLength(7);
  });

  test('a second answer to the same request gives nothing', async () => {
    const page = await openConsent(app, browser, challenge);
    const both = await Promise.all([
      answerConsent(browser, page, 'allow', ['chat.view']),
      answerConsent(browser, page, 'allow', ['chat.view']),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 404]);
  });

  test('a request that has expired gives nothing', async () => {
    const page = await openConsent(app, browser, challenge);
    await desk.runtime.db.rows(
      `UPDATE oauth_requests SET expires_at = now() - interval '1 second' WHERE id = $id::uuid`,
      { id: hiddenFields(page.text)['request'] },
    );
    expect((await answerConsent(browser, page, 'allow', ['chat.view'])).status).toBe(404);
  });

  test('it is always asked: a second request of the same client is not approved silently', async () => {
    await obtainCode(app, browser);
    expect((await openConsent(app, browser, challenge)).text).toContain('value="allow"');
  });

  test.each(['', 'not-a-uuid', '00000000-0000-4000-8000-000000000000'])(
    'an unknown request "%s" is a 404 page',
    async (id) => {
      expect((await browser.get(`/oauth/mcp/consent?request=${id}`)).status).toBe(404);
    },
  );
});

describe('CSRF and whose session decides', () => {
  test('the form is bound to the session and to the request', async () => {
    const [first, second] = [await openConsent(app, browser, challenge), await openConsent(app, browser, challenge)];
    const swapped = await answerConsent(browser, first, 'allow', ['chat.view'], {
      csrf: hiddenFields(second.text)['csrf'] ?? '',
    });
    expect([swapped.status, swapped.location]).toEqual([403, null]);
    for (const csrf of ['', 'x'])
      expect((await answerConsent(browser, first, 'allow', ['chat.view'], { csrf })).status).toBe(403);
    const other = createBrowser(desk, await createSession(desk.workspace.owner));
    expect((await answerConsent(other, first, 'allow', ['chat.view'])).status).toBe(403);
  });

  test('signing in as somebody else takes the request along; the form of the one before is worth nothing', async () => {
    const first = await openConsent(app, browser, challenge);
    const other = createBrowser(
      desk,
      await createSession(await createMember(desk.workspace, { permissions: ['contact.view'] })),
    );
    const second = await other.get(`/oauth/mcp/consent?request=${hiddenFields(first.text)['request']}`);
    expect(offeredScopes(second.text)).toEqual(['contact.view']);
    expect((await answerConsent(browser, first, 'allow', ['chat.view'])).status).toBe(404);
    expect((await answerConsent(other, second, 'allow', ['contact.view'])).location?.searchParams.has('code')).toBe(
      true,
    );
  });

  test('a form from another site is refused', async () => {
    const page = await openConsent(app, browser, challenge);
    const fields = Object.entries({ ...hiddenFields(page.text), decision: 'allow', scope: 'chat.view' });
    expect((await browser.submit('/oauth/mcp/consent', fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  test('contract 11.4: an API key, or a session token in a header, starts no consent: the cookie counts', async () => {
    const nobody = createBrowser(desk);
    const { location } = await nobody.get(authorizePath(app, challenge));
    for (const authorization of [
      `Bearer ${desk.workspace.token}`,
      `Token ${desk.workspace.token}`,
      `Token ${session.token}`,
    ]) {
      const page = await nobody.get(`${location?.pathname}${location?.search}`, { authorization });
      expect([page.status, page.location?.pathname]).toEqual([303, '/dashboard/sign-in/']);
      expect(
        (
          await nobody.submit(
            '/oauth/mcp/consent',
            [
              ['request', location?.searchParams.get('request') ?? ''],
              ['decision', 'allow'],
              ['scope', 'chat.view'],
            ],
            { authorization },
          )
        ).status,
      ).toBe(403);
    }
    // The key as a cookie is no session.
    nobody.cookies.set('token', desk.workspace.token);
    expect((await nobody.get(`${location?.pathname}${location?.search}`)).location?.pathname).toBe(
      '/dashboard/sign-in/',
    );
  });

  test('a member of another workspace cannot connect the client, and may sign in as somebody else', async () => {
    const other = await createWorkspace(desk, { connected: false });
    const foreign = createBrowser(desk, await createSession(other.owner));
    const page = await openConsent(app, foreign, challenge);
    expect(page.status).toBe(403);
    expect(page.text).toContain('Use another account');
    expect(page.text).not.toContain(desk.workspace.owner.email);
  });

  test('an expired trial connects nothing (contract 12)', async () => {
    const expired = await createWorkspace(desk, {
      plan: null,
      trialEndsAt: new Date(Date.now() - 1_000),
      connected: false,
    });
    const own = createBrowser(desk, await createSession(expired.owner));
    expect((await openConsent(await registerClient(expired), own, challenge)).status).toBe(403);
  });
});

test('RFC 9700: the pages forbid framing, referrer and caching, and no form-action stops the redirect', async () => {
  const { headers } = await openConsent(app, browser, challenge);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('form-action');
  expect(policy).not.toContain('upgrade-insecure-requests');
  expect(policy).not.toContain('unsafe');
  expect([
    headers.get('x-frame-options'),
    headers.get('referrer-policy'),
    headers.get('cache-control'),
    headers.get('cross-origin-opener-policy'),
  ]).toEqual(['DENY', 'no-referrer', 'no-store', 'unsafe-none']);
});

test('names of clients are shown as text', async () => {
  const odd = await registerClient(desk.workspace, { name: '<img src=x onerror=alert(1)>"\'' });
  const { text } = await openConsent(odd, browser, challenge);
  expect(text).not.toContain('<img');
  expect(text).toContain('&lt;img');
});

test('an application with its own scheme gets its code', async () => {
  const page = await openConsent(app, browser, challenge, {
    redirect_uri: 'cursor://anysphere.cursor-mcp/oauth/callback',
  });
  const answer = await answerConsent(browser, page, 'allow', ['chat.view']);
  expect(answer.headers.get('location')).toMatch(/^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?code=/);
  expect((await postForm(desk, 'token', codeForm(app, 'mcp_ac_x', pkce().verifier))).json['error']).toBe(
    'invalid_grant',
  );
});
