import { PassThrough } from 'node:stream';
import { createLogger } from '../../api/core/logger';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { rowMark } from '../support/snapshot';
import { createMember, createSession, type TestSession } from '../factories/members';
import { removeExpired } from '../../api/services/processes/maintenance/service';
import { createWorkspace } from '../factories/workspaces';
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
  type TestClient,
} from './support';

let desk: TestApi;
/** Tells all that it does, and takes few requests of strangers. */
let own: TestApi;
let app: TestClient;
let confidential: TestClient;
let session: TestSession;
const logged: string[] = [];
beforeAll(async () => {
  const lines = new PassThrough();
  lines.on('data', (chunk: Buffer) => logged.push(chunk.toString('utf8')));
  desk = await sharedDesk('no sandbox');
  own = await sharedDesk('no sandbox', {
    logger: createLogger('trace', 'test', lines),
    env: { RATE_LIMIT_ANONYMOUS_PER_MINUTE: '5' },
  });
  app = await registerClient(desk.workspace);
  confidential = await registerClient(desk.workspace, { type: 'confidential' });
  session = await createSession(desk.workspace.owner);
});
afterAll(async () => {
  await own.close();
  await desk.close();
});

interface Agent {
  readonly id: number;
  readonly client_id: string;
  readonly autonomy: string;
  readonly scopes: string[];
  readonly last_used_at: string | null;
}
const agents = async (by = session): Promise<Agent[]> => (await by.api.get('/api/v1/connected-agents/')).body;

describe('RFC 7009: revocation', () => {
  test('an access token alone', async () => {
    const tokens = await connect(desk, app, session);
    const answer = await postForm(desk, 'revoke', {
      client_id: app.clientId,
      token: tokens.access,
      token_type_hint: 'access_token',
    });
    expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([200, '', 'no-store']);
    expect(await tryMcp(desk, tokens.access)).toBe(401);
    expect((await postForm(desk, 'token', refreshForm(app, tokens.refresh))).status).toBe(200);
  });

  test('a refresh token ends the grant, a wrong hint changes nothing about it', async () => {
    const tokens = await connect(desk, app, session);
    expect(
      (
        await postForm(desk, 'revoke', {
          client_id: app.clientId,
          token: tokens.refresh,
          token_type_hint: 'access_token',
        })
      ).status,
    ).toBe(200);
    expect(await tryMcp(desk, tokens.access)).toBe(401);
    expect((await postForm(desk, 'token', refreshForm(app, tokens.refresh))).json['error']).toBe('invalid_grant');
    expect((await postForm(desk, 'revoke', { client_id: app.clientId, token: tokens.refresh })).status).toBe(200);
  });

  test('an unknown token is 200, none is invalid_request, an unknown client is invalid_client', async () => {
    expect((await postForm(desk, 'revoke', { client_id: app.clientId, token: 'unknown' })).status).toBe(200);
    expect((await postForm(desk, 'revoke', { client_id: app.clientId })).json['error']).toBe('invalid_request');
    expect((await postForm(desk, 'revoke', { client_id: 'client_nobody', token: 'x' })).json['error']).toBe(
      'invalid_client',
    );
    expect((await fetch(`${desk.url}/oauth/mcp/revoke`)).status).toBe(405);
  });

  test('another client’s token is left alone', async () => {
    const tokens = await connect(desk, app, session);
    for (const token of [tokens.access, tokens.refresh]) {
      expect(
        (
          await postForm(desk, 'revoke', {
            client_id: confidential.clientId,
            client_secret: confidential.secret,
            token,
          })
        ).status,
      ).toBe(200);
    }
    expect(await tryMcp(desk, tokens.access)).toBe(200);
  });

  test('an API key or a session is no token here', async () => {
    for (const token of [desk.workspace.token, session.token])
      expect((await postForm(desk, 'revoke', { client_id: app.clientId, token })).status).toBe(200);
    expect((await session.api.get('/api/v1/connected-agents/')).status).toBe(200);
    expect((await desk.api.get('/api/v1/contacts/')).status).toBe(200);
  });
});

describe('connected agents (contract 11.4, 11)', () => {
  test('the list shows who is connected with what; sessions only, with workspace.manage', async () => {
    const tokens = await connect(desk, app, session);
    await tryMcp(desk, tokens.access);
    const [agent] = await agents();
    expect(agent).toMatchObject({
      client_id: app.clientId,
      client_name: 'Test agent',
      scopes: ['chat.view', 'contact.view'],
      autonomy: 'approval',
      member: { email: desk.workspace.owner.email },
    });
    expect((await desk.api.get('/api/v1/connected-agents/')).status).toBe(403);
    const plain = await createSession(await createMember(desk.workspace, { permissions: ['chat.view'] }));
    expect((await plain.api.get('/api/v1/connected-agents/')).status).toBe(403);
    expect(JSON.stringify(await agents())).not.toContain('mcp_');
  });

  test('disconnecting refuses the next call, the next refresh and an open code; a second time is 404', async () => {
    const tokens = await connect(desk, app, session);
    const [agent] = await agents();
    expect((await session.api.delete(`/api/v1/connected-agents/${agent?.id}/`)).status).toBe(204);
    expect(await tryMcp(desk, tokens.access)).toBe(401);
    expect((await postForm(desk, 'token', refreshForm(app, tokens.refresh))).json['error']).toBe('invalid_grant');
    expect((await session.api.delete(`/api/v1/connected-agents/${agent?.id}/`)).status).toBe(404);
    expect((await agents()).map(({ id }) => id)).not.toContain(agent?.id);
  });

  test('one connection per client and member: a new consent adds a family, and disconnecting ends all', async () => {
    const own = await registerClient(desk.workspace);
    const listed = async (): Promise<Agent[]> => (await agents()).filter(({ client_id }) => client_id === own.clientId);
    const consent = (...grant: string[]): ReturnType<typeof connect> => connect(desk, own, session, { grant });
    const scopeOf = async (refresh: string): Promise<string> =>
      tokensOf(await postForm(desk, 'token', refreshForm(own, refresh))).scope;

    const first = await consent('chat.view');
    const [before] = await listed();
    await session.api.patch(`/api/v1/connected-agents/${before?.id}/`, { autonomy: 'draft' });
    // A step-up: the same connection may more, and the tokens of before may what they might.
    const second = await consent('chat.view', 'contact.view');
    expect(await listed()).toEqual([
      expect.objectContaining({ id: before?.id, autonomy: 'draft', scopes: ['chat.view', 'contact.view'] }),
    ]);
    expect([await tryMcp(desk, first.access), await tryMcp(desk, second.access)]).toEqual([200, 200]);
    const older = tokensOf(await postForm(desk, 'token', refreshForm(own, first.refresh)));
    expect(older.scope).toBe('chat.view');
    // A narrower consent cuts older families.
    const third = await consent('contact.view');
    expect((await listed())[0]?.scopes).toEqual(['contact.view']);
    expect(await scopeOf(second.refresh)).toBe('contact.view');
    expect((await postForm(desk, 'token', refreshForm(own, older.refresh))).json['error']).toBe('invalid_grant');
    expect((await session.api.delete(`/api/v1/connected-agents/${before?.id}/`)).status).toBe(204);
    expect([await tryMcp(desk, second.access), await tryMcp(desk, third.access), await listed()]).toEqual([
      401,
      401,
      [],
    ]);
  });

  test('a replayed code and a revoked refresh token end their own family alone', async () => {
    const own = await registerClient(desk.workspace);
    const kept = await connect(desk, own, session);
    const { code, verifier } = await obtainCode(own, createBrowser(desk, session));
    const replayed = tokensOf(await postForm(desk, 'token', codeForm(own, code, verifier)));
    await postForm(desk, 'token', codeForm(own, code, verifier));
    const revoked = await connect(desk, own, session);
    await postForm(desk, 'revoke', { client_id: own.clientId, token: revoked.refresh });
    for (const tokens of [replayed, revoked]) expect(await tryMcp(desk, tokens.access)).toBe(401);
    expect(await tryMcp(desk, kept.access)).toBe(200);
  });

  test.each([
    ['180 days after its consent', 181, 0],
    ['after 90 days without a call', 91, 91],
  ])('a forgotten connection ends %s, and a later one begins anew', async (_when, age, unused) => {
    const own = await registerClient(desk.workspace);
    const mine = 'IN (SELECT id FROM oauth_grants WHERE client_pk = $pk)';
    const find = async (): Promise<Agent | undefined> =>
      (await agents()).find(({ client_id }) => client_id === own.clientId);
    const tokens = await connect(desk, own, session);
    const id = (await find())?.id;
    await session.api.patch(`/api/v1/connected-agents/${id}/`, { autonomy: 'autonomous' });
    const bind = { pk: own.pk, age, unused };
    for (const statement of [
      `UPDATE oauth_families SET created_at = now() - $age * interval '1 day' WHERE grant_id ${mine}`,
      `UPDATE oauth_grants SET last_used_at = now() - $unused * interval '1 day' WHERE client_pk = $pk`,
      `UPDATE oauth_access_tokens SET expires_at = now() - interval '1 second' WHERE grant_id ${mine}`,
    ])
      await desk.runtime.db.rows(statement, bind);
    expect((await postForm(desk, 'token', refreshForm(own, tokens.refresh))).json['error']).toBe('invalid_grant');
    expect(await find()).toBeUndefined();
    await removeExpired(desk.runtime);
    await connect(desk, own, session);
    expect(await find()).toMatchObject({ autonomy: 'approval' });
    expect((await find())?.id).not.toBe(id);
  });

  test('autonomy is set for the connection', async () => {
    await connect(desk, app, session);
    const [agent] = await agents();
    for (const autonomy of ['draft', 'autonomous', 'approval']) {
      expect((await session.api.patch(`/api/v1/connected-agents/${agent?.id}/`, { autonomy })).body.autonomy).toBe(
        autonomy,
      );
    }
    expect((await session.api.patch(`/api/v1/connected-agents/${agent?.id}/`, { autonomy: 'free' })).body).toEqual({
      autonomy: ['"free" is not a valid choice.'],
    });
    expect((await session.api.patch(`/api/v1/connected-agents/${agent?.id}/`, {})).body.autonomy).toBe('approval');
  });

  test('a consent whose code was never redeemed connects nobody', async () => {
    const before = (await agents()).length;
    await obtainCode(app, createBrowser(desk, session));
    expect(await agents()).toHaveLength(before);
  });

  test('a disabled client is refused on its next call', async () => {
    const own = await registerClient(desk.workspace);
    const tokens = await connect(desk, own, session);
    await session.api.post(`/api/v1/oauth-clients/${own.pk}/disable/`, {});
    expect(await tryMcp(desk, tokens.access)).toBe(401);
    expect((await agents()).map(({ client_id }) => client_id)).not.toContain(own.clientId);
  });

  test('an expired trial refuses OAuth connections with 403 (contract 12)', async () => {
    const trial = await createWorkspace(desk, {
      plan: null,
      trialEndsAt: new Date(Date.now() + 3_600_000),
      connected: false,
    });
    const tokens = await connect(desk, await registerClient(trial), await createSession(trial.owner));
    expect(await tryMcp(desk, tokens.access)).toBe(200);
    await desk.runtime.db.rows(`UPDATE workspaces SET trial_ends_at = now() - interval '1 second' WHERE id = $id`, {
      id: trial.id,
    });
    expect(await tryMcp(desk, tokens.access)).toBe(403);
  });
});

describe('no credential works as another', () => {
  test('on /mcp: neither refresh token, code, client secret, session nor cookie', async () => {
    const { code, verifier } = await obtainCode(confidential, createBrowser(desk, session));
    expect(await tryMcp(desk, code)).toBe(401);
    const tokens = tokensOf(await postForm(desk, 'token', codeForm(confidential, code, verifier)));
    for (const wrong of [
      tokens.refresh,
      code,
      confidential.secret ?? '',
      session.token,
      tokens.access.slice(0, -1),
      tokens.access.replace('mcp_at_', 'mcp_rt_'),
      tokens.access.toUpperCase(),
    ])
      expect(await tryMcp(desk, wrong)).toBe(401);
    const byCookie = await fetch(`${desk.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `token=${session.token}` },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect(byCookie.status).toBe(401);
    const inAddress = await fetch(`${desk.url}/mcp?access_token=${tokens.access}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect(inAddress.status).toBe(401);
    expect(
      (
        await desk.anonymous.post(
          '/mcp',
          { jsonrpc: '2.0', id: 1, method: 'ping' },
          { authorization: `Token ${tokens.access}` },
        )
      ).status,
    ).toBe(401);
  });

  test('on /api/v1/: no OAuth token, however it is sent (MCP: no token passthrough)', async () => {
    const tokens = await connect(desk, app, session);
    for (const value of [tokens.access, tokens.refresh]) {
      const ways: Record<string, string>[] = [
        { authorization: `Bearer ${value}` },
        { authorization: `Token ${value}` },
        { cookie: `token=${value}` },
      ];
      for (const headers of ways) expect((await desk.anonymous.get('/api/v1/contacts/', headers)).status).toBe(401);
    }
  });

  test('at the token endpoint no key, token or session passes for another kind', async () => {
    const { code, verifier } = await obtainCode(app, createBrowser(desk, session));
    const tokens = await connect(desk, app, session);
    for (const wrong of [desk.workspace.token, tokens.access, session.token, code])
      expect((await postForm(desk, 'token', refreshForm(app, wrong))).json['error']).toBe('invalid_grant');
    for (const wrong of [desk.workspace.token, tokens.access, tokens.refresh, session.token])
      expect((await postForm(desk, 'token', codeForm(app, wrong, verifier))).json['error']).toBe('invalid_grant');
    expect(await tryMcp(desk, tokens.access)).toBe(200);
  });
});

test('rate limit: per address and client, as an OAuth error with Retry-After; made-up clients by address', async () => {
  const [one, two] = [await registerClient(own.workspace), await registerClient(own.workspace)];
  const attempt = (clientId: string): ReturnType<typeof postForm> =>
    postForm(own, 'token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: 'mcp_rt_guess' });
  for (let count = 0; count < 5; count += 1) expect((await attempt(one.clientId)).status).toBe(400);
  const refused = await attempt(one.clientId);
  expect([refused.status, refused.json['error']]).toEqual([429, 'temporarily_unavailable']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await attempt(two.clientId)).status).toBe(400);
  const invented = await Promise.all(Array.from({ length: 6 }, (_, index) => attempt(`client_invented${index}`)));
  expect(invented.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
});

test('C3: neither database nor logs hold a plain code, token, secret or verifier', async () => {
  // Its few requests are used up by the test before.
  await own.runtime.db.rows('DELETE FROM rate_limits');
  const mark = await rowMark(own.runtime);
  const client = await registerClient(own.workspace, { type: 'confidential' });
  const member = await createSession(own.workspace.owner);
  const browser = createBrowser(own, member);
  const { code, verifier } = await obtainCode(client, browser, { changes: { state: 'state-that-is-private' } });
  const first = tokensOf(await postForm(own, 'token', codeForm(client, code, verifier)));
  const second = tokensOf(await postForm(own, 'token', refreshForm(client, first.refresh)));
  await tryMcp(own, second.access);
  await postForm(own, 'token', codeForm(client, code, pkce().verifier));
  const secrets = [
    code,
    verifier,
    first.access,
    first.refresh,
    second.access,
    second.refresh,
    client.secret ?? '',
    member.token,
  ];
  const tables = await own.runtime.db.rows<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  // A bytea column shows hexadecimal.
  const words = secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('hex')]);
  for (const { name } of tables) {
    const holders = await own.runtime.db.rows(
      `SELECT t::text FROM "${name}" t JOIN unnest($words::text[]) word ON strpos(t::text, word) > 0
       WHERE age(t.xmin) <= age($mark::xid) LIMIT 1`,
      { words, mark },
    );
    expect([name, holders]).toEqual([name, []]);
  }
  const log = logged.join('');
  expect(log).toContain('"route":"/oauth/mcp/token"');
  expect(log).toContain('"route":"/oauth/mcp/authorize"');
  for (const secret of [...secrets, 'state-that-is-private']) expect(log).not.toContain(secret);
});
