import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { createMember, createSession, type TestSession } from '../factories/members';
import {
  codeForm,
  connect,
  createBrowser,
  obtainCode,
  pkce,
  postForm,
  refreshForm,
  registerClient,
  tokensOf,
  tryMcp,
  type Reply,
  type TestClient,
} from './support';

let desk: TestApi;
let app: TestClient;
let confidential: TestClient;
let session: TestSession;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  app = await registerClient(desk.workspace);
  confidential = await registerClient(desk.workspace, { type: 'confidential' });
  session = await createSession(desk.workspace.owner);
});
afterAll(() => desk.close());

const code = (client = app, changes: Record<string, string | null> = {}): ReturnType<typeof obtainCode> =>
  obtainCode(client, createBrowser(desk, session), { changes });
const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

/** C2 12: whatever the answer, it is JSON that no cache keeps. */
function expectRefusal(answer: Reply, error: string, status = 400): void {
  expect([answer.status, answer.json['error']]).toEqual([status, error]);
  expect(typeof answer.json['error_description']).toBe('string');
  expect([answer.headers.get('cache-control'), answer.headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
}

describe('RFC 6749 section 4.1.3: a code for tokens', () => {
  test('the answer: bearer, 8 hours, refresh token, the granted scope, no-store', async () => {
    const { code: value, verifier } = await obtainCode(app, createBrowser(desk, session), {
      changes: { scope: 'chat.view contact.view chat.assign' },
      grant: ['contact.view', 'chat.view'],
    });
    const answer = await postForm(desk, 'token', codeForm(app, value, verifier));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect([answer.headers.get('cache-control'), answer.headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
    // C3: granted is not requested, so scope is in the answer.
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^mcp_at_[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 28_800,
      refresh_token: expect.stringMatching(/^mcp_rt_[\w-]{43}$/),
      scope: 'chat.view contact.view',
    });
    const [stored] = await desk.runtime.db.rows<{ access: number; refresh: number }>(
      `SELECT extract(epoch FROM a.expires_at - a.created_at)::int AS access,
        extract(epoch FROM r.expires_at - r.created_at)::int AS refresh
       FROM oauth_access_tokens a JOIN oauth_refresh_tokens r ON r.id = a.refresh_token_id
         JOIN oauth_grants g ON g.id = a.grant_id
       WHERE g.workspace_id = $id ORDER BY a.id DESC LIMIT 1`,
      { id: desk.workspace.id },
    );
    expect(stored).toEqual({ access: 28_800, refresh: 2_592_000 });
    expect(await tryMcp(desk, String(answer.json['access_token']))).toBe(200);
  });

  test('a code lives two minutes (contract 3.1)', async () => {
    const { code: value, verifier } = await code();
    const [stored] = await desk.runtime.db.rows<{ seconds: number }>(
      `SELECT extract(epoch FROM k.expires_at - f.created_at)::int AS seconds FROM oauth_codes k
        JOIN oauth_families f ON f.id = k.family_id JOIN oauth_grants g ON g.id = f.grant_id
       WHERE g.workspace_id = $id ORDER BY f.id DESC LIMIT 1`,
      { id: desk.workspace.id },
    );
    expect(stored?.seconds).toBe(120);
    await desk.runtime.db.rows(
      `UPDATE oauth_codes SET expires_at = now() - interval '1 second'
       WHERE used_at IS NULL AND grant_id IN (SELECT id FROM oauth_grants WHERE workspace_id = $id)`,
      { id: desk.workspace.id },
    );
    expectRefusal(await postForm(desk, 'token', codeForm(app, value, verifier)), 'invalid_grant');
  });

  test.each<[string, Record<string, string | null>, string]>([
    ['no grant_type', { grant_type: null }, 'invalid_request'],
    ['C2 11: client_credentials', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['C2 11: password', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['a property of every object as grant type', { grant_type: 'constructor' }, 'unsupported_grant_type'],
    ['no code', { code: null }, 'invalid_request'],
    ['an empty code counts as none', { code: '' }, 'invalid_request'],
    ['no redirect_uri', { redirect_uri: null }, 'invalid_request'],
    ['an unknown code', { code: 'mcp_ac_unknown' }, 'invalid_grant'],
    ['RFC 8707: another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  ])('%s is refused and leaves the code alone', async (_name, changes, error) => {
    const { code: value, verifier } = await code();
    expectRefusal(await postForm(desk, 'token', { ...codeForm(app, value, verifier), ...changes }), error);
    expect((await postForm(desk, 'token', codeForm(app, value, verifier))).status).toBe(200);
  });

  test.each<[string, Record<string, string | null>, string]>([
    ['RFC 7636 section 4.6: a wrong verifier', { code_verifier: pkce().verifier }, 'invalid_grant'],
    ['C2 11: no verifier', { code_verifier: null }, 'invalid_grant'],
    ['C2 11: another registered redirect_uri', { redirect_uri: 'https://agent.example/other' }, 'invalid_grant'],
    ['C2 17: a redirect_uri that is a script', { redirect_uri: 'javascript:alert(1)' }, 'invalid_grant'],
  ])('C2 18: %s is refused and uses the code up', async (_name, changes, error) => {
    const { code: value, verifier } = await code();
    expectRefusal(await postForm(desk, 'token', { ...codeForm(app, value, verifier), ...changes }), error);
    expectRefusal(await postForm(desk, 'token', codeForm(app, value, verifier)), 'invalid_grant');
  });

  test('the challenge itself is no verifier (plain)', async () => {
    const { code: value, verifier } = await code();
    const { createHash } = await import('node:crypto');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    expectRefusal(await postForm(desk, 'token', codeForm(app, value, challenge)), 'invalid_grant');
  });

  test('C2 15: repeated parameters are refused', async () => {
    const { code: value, verifier } = await code();
    const form = new URLSearchParams(
      Object.entries(codeForm(app, value, verifier)).filter((pair): pair is [string, string] => pair[1] !== null),
    ).toString();
    for (const name of ['grant_type', 'code', 'redirect_uri', 'client_id', 'code_verifier'])
      expectRefusal(await postForm(desk, 'token', `${form}&${name}=x`), 'invalid_request');
    expect((await postForm(desk, 'token', form)).status).toBe(200);
  });

  test('C2 12: other media types and methods are told in the form of RFC 6749 section 5.2', async () => {
    expectRefusal(
      await postForm(desk, 'token', '{"grant_type":"refresh_token"}', { 'content-type': 'application/json' }),
      'invalid_request',
    );
    const get = await fetch(`${desk.url}/oauth/mcp/token?grant_type=refresh_token`);
    expect([get.status, get.headers.get('allow'), get.headers.get('cache-control')]).toEqual([
      405,
      'POST, OPTIONS',
      'no-store',
    ]);
    expect(await get.json()).toMatchObject({ error: 'invalid_request' });
  });

  test('RFC 6749 section 2.3.1: credentials in the address are refused', async () => {
    const answer = await fetch(`${desk.url}/oauth/mcp/token?client_id=${app.clientId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=refresh_token&refresh_token=x',
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });

  test('a huge body, NULs and half characters are refusals, not faults', async () => {
    expect(
      (await postForm(desk, 'token', `grant_type=refresh_token&refresh_token=${'x'.repeat(100_000)}`)).status,
    ).toBe(413);
    for (const bad of ['%00', '%ff%fe', 'x'.repeat(3_000)]) {
      const answer = await postForm(
        desk,
        'token',
        `grant_type=refresh_token&client_id=${app.clientId}&refresh_token=mcp_rt_${bad}`,
      );
      expect([400, 401]).toContain(answer.status);
    }
    expect(
      (await postForm(desk, 'token', `grant_type=refresh_token&client_id=%00&refresh_token=x`)).json['error'],
    ).toBe('invalid_client');
  });
});

describe('RFC 6749 section 2.3: client authentication', () => {
  test('C2 9: a confidential client needs its secret, a verifier does not stand in for it', async () => {
    const { code: value, verifier } = await code(confidential);
    const form = codeForm(confidential, value, verifier);
    for (const secret of [null, '', 'wrong', `${confidential.secret}x`]) {
      const answer = await postForm(desk, 'token', { ...form, client_secret: secret });
      expectRefusal(answer, 'invalid_client', 401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
    }
    const tokens = tokensOf(await postForm(desk, 'token', form));
    expectRefusal(
      await postForm(desk, 'token', { ...refreshForm(confidential, tokens.refresh), client_secret: null }),
      'invalid_client',
      401,
    );
    expectRefusal(
      await postForm(desk, 'revoke', { client_id: confidential.clientId, token: tokens.refresh }),
      'invalid_client',
      401,
    );
    expect(await tryMcp(desk, tokens.access)).toBe(200);
  });

  test('C2 16: Basic works too, form-encoded, and only one way at once', async () => {
    const { code: value, verifier } = await code(confidential);
    const form = { ...codeForm(confidential, value, verifier), client_secret: null, client_id: null };
    const header = basic(confidential.clientId, confidential.secret ?? '');
    expectRefusal(
      await postForm(desk, 'token', { ...form, client_secret: confidential.secret }, header),
      'invalid_request',
    );
    expectRefusal(await postForm(desk, 'token', { ...form, client_id: app.clientId }, header), 'invalid_request');
    expectRefusal(await postForm(desk, 'token', form, basic(confidential.clientId, 'wrong')), 'invalid_client', 401);
    expect((await postForm(desk, 'token', { ...form, client_id: confidential.clientId }, header)).status).toBe(200);
  });

  test('C2 16: secrets need no encoding', () => {
    expect(confidential.secret).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  test.each(['Bearer x', 'Basic', 'Basic !!!', 'Basic Og==', 'Digest x'])(
    'another Authorization header (%s) is invalid_client',
    async (authorization) => {
      const { code: value, verifier } = await code();
      expectRefusal(
        await postForm(desk, 'token', codeForm(app, value, verifier), { authorization }),
        'invalid_client',
        401,
      );
    },
  );

  test('an API key authenticates no client', async () => {
    const { code: value, verifier } = await code(confidential);
    expectRefusal(
      await postForm(desk, 'token', {
        ...codeForm(confidential, value, verifier),
        client_secret: desk.workspace.token,
      }),
      'invalid_client',
      401,
    );
    expectRefusal(
      await postForm(desk, 'token', codeForm(confidential, value, verifier), {
        authorization: `Bearer ${desk.workspace.token}`,
      }),
      'invalid_client',
      401,
    );
  });

  test('unknown, disabled and nameless clients, and a secret where there is none', async () => {
    const { code: value, verifier } = await code();
    const form = codeForm(app, value, verifier);
    expectRefusal(await postForm(desk, 'token', { ...form, client_id: 'client_nobody' }), 'invalid_client', 401);
    expectRefusal(await postForm(desk, 'token', { ...form, client_id: null }), 'invalid_client', 401);
    expectRefusal(await postForm(desk, 'token', { ...form, client_secret: 'x' }), 'invalid_client', 401);
    const disabled = await registerClient(desk.workspace);
    const own = await code(disabled);
    await session.api.post(`/api/v1/oauth-clients/${disabled.pk}/disable/`, {});
    expectRefusal(await postForm(desk, 'token', codeForm(disabled, own.code, own.verifier)), 'invalid_client', 401);
  });
});

describe('OAuth 2.1 section 4.1.3: a code is used once', () => {
  test('a replay is refused and ends what the code issued, refreshed tokens included', async () => {
    const { code: value, verifier } = await code();
    const first = tokensOf(await postForm(desk, 'token', codeForm(app, value, verifier)));
    const second = tokensOf(await postForm(desk, 'token', refreshForm(app, first.refresh)));
    expect(await tryMcp(desk, second.access)).toBe(200);
    expectRefusal(await postForm(desk, 'token', codeForm(app, value, verifier)), 'invalid_grant');
    expect(await tryMcp(desk, second.access)).toBe(401);
    expectRefusal(await postForm(desk, 'token', refreshForm(app, second.refresh)), 'invalid_grant');
    const [grant] = await desk.runtime.db.rows<{ revoked_reason: string }>(
      `SELECT f.revoked_reason FROM oauth_families f JOIN oauth_grants g ON g.id = f.grant_id
       WHERE g.workspace_id = $id ORDER BY f.id DESC LIMIT 1`,
      { id: desk.workspace.id },
    );
    expect(grant?.revoked_reason).toBe('code_reuse');
  });

  test('a replay by another client, even with the right verifier, changes nothing', async () => {
    const { code: value, verifier } = await code();
    const tokens = tokensOf(await postForm(desk, 'token', codeForm(app, value, verifier)));
    const other = await registerClient(desk.workspace);
    expectRefusal(await postForm(desk, 'token', { ...codeForm(other, value, verifier) }), 'invalid_grant');
    expect(await tryMcp(desk, tokens.access)).toBe(200);
  });

  test('an unused code that another client presents stays usable for its own', async () => {
    const { code: value, verifier } = await code();
    const other = await registerClient(desk.workspace);
    expectRefusal(await postForm(desk, 'token', codeForm(other, value, verifier)), 'invalid_grant');
    expect((await postForm(desk, 'token', codeForm(app, value, verifier))).status).toBe(200);
  });

  test('ten redemptions at once: at most one gets tokens, and all of them are dead afterwards', async () => {
    const { code: value, verifier } = await code();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => postForm(desk, 'token', codeForm(app, value, verifier))),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ json }) => json['error'] === 'invalid_grant')).toHaveLength(9);
    expect(await tryMcp(desk, String(won[0]?.json['access_token']))).toBe(401);
  });
});

describe('whose permissions a token carries', () => {
  test('C2 20: what the member lost since consent is not in the token, nor in its scope', async () => {
    const member = await createMember(desk.workspace, { permissions: ['chat.view', 'contact.view'] });
    const own = await obtainCode(app, createBrowser(desk, await createSession(member)));
    await member.update({ permissions: ['contact.view'] });
    expect(tokensOf(await postForm(desk, 'token', codeForm(app, own.code, own.verifier))).scope).toBe('contact.view');
  });

  test('a member who holds nothing of it any more, or is inactive, gets no tokens', async () => {
    const member = await createMember(desk.workspace, { permissions: ['chat.view'] });
    const own = await obtainCode(app, createBrowser(desk, await createSession(member)));
    await member.update({ permissions: [] });
    expectRefusal(await postForm(desk, 'token', codeForm(app, own.code, own.verifier)), 'invalid_grant');
    await member.update({ permissions: ['chat.view'], isActive: false });
    expectRefusal(await postForm(desk, 'token', codeForm(app, own.code, own.verifier)), 'invalid_grant');
  });

  test('a grant that was disconnected before its code was redeemed gives no tokens', async () => {
    const { code: value, verifier } = await code();
    await desk.runtime.db.rows(
      'UPDATE oauth_grants SET revoked_at = now() WHERE workspace_id = $id AND revoked_at IS NULL',
      { id: desk.workspace.id },
    );
    expectRefusal(await postForm(desk, 'token', codeForm(app, value, verifier)), 'invalid_grant');
  });
});

test('RFC 8707: a token of another resource is not taken by /mcp', async () => {
  const tokens = await connect(desk, app, session, { changes: { resource: `${desk.url}/mcp` } });
  expect(await tryMcp(desk, tokens.access)).toBe(200);
  await desk.runtime.db.rows(
    `UPDATE oauth_grants SET resource = 'https://elsewhere.example/mcp' WHERE workspace_id = $id`,
    {
      id: desk.workspace.id,
    },
  );
  expect(await tryMcp(desk, tokens.access)).toBe(401);
});

test('CORS: a web application can exchange its code from the browser', async () => {
  const answer = await fetch(`${desk.url}/oauth/mcp/token`, {
    method: 'OPTIONS',
    headers: { origin: 'https://agent.example', 'access-control-request-method': 'POST' },
  });
  expect([
    answer.status,
    answer.headers.get('access-control-allow-origin'),
    answer.headers.get('access-control-allow-credentials'),
  ]).toEqual([204, '*', null]);
});
