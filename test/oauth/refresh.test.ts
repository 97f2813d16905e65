import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { createMember, createSession, type TestSession } from '../factories/members';
import { removeExpired } from '../../api/services/processes/maintenance/service';
import { Platform } from './platform';
import {
  connect,
  postForm,
  refreshForm,
  registerClient,
  tokensOf,
  tryMcp,
  type TestClient,
  type Tokens,
} from './support';

let desk: TestApi;
/** Forgives no reuse, and few requests. */
let strict: TestApi;
let app: TestClient;
let session: TestSession;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  strict = await sharedDesk('no sandbox', { env: { REFRESH_REUSE_GRACE_SECONDS: '0', RATE_LIMIT_PER_MINUTE: '3' } });
  app = await registerClient(desk.workspace);
  session = await createSession(desk.workspace.owner);
});
afterAll(async () => {
  await strict.close();
  await desk.close();
});

const connected = (): Promise<Tokens> => connect(desk, app, session);
const refresh = (tokens: Tokens, changes: Record<string, string | null> = {}): ReturnType<typeof postForm> =>
  postForm(desk, 'token', { ...refreshForm(app, tokens.refresh), ...changes });
/** Does a statement to the rows of the grants of this workspace. */
const ofOurs = (statement: string): Promise<unknown[]> =>
  desk.runtime.db.rows(`${statement} WHERE grant_id IN (SELECT id FROM oauth_grants WHERE workspace_id = $id)`, {
    id: desk.workspace.id,
  });
/** Does one to the newest of them. */
const ofNewest = (table: string, change: string): Promise<unknown[]> =>
  desk.runtime.db.rows(
    `UPDATE ${table} SET ${change} WHERE id = (
       SELECT max(t.id) FROM ${table} t JOIN oauth_grants g ON g.id = t.grant_id WHERE g.workspace_id = $id)`,
    { id: desk.workspace.id },
  );
/** Puts all replacements of tokens so far back behind the time in which calls of one agent may cross. */
const passed = (): Promise<unknown> =>
  ofOurs(`UPDATE oauth_refresh_tokens SET rotated_at = rotated_at - interval '31 seconds'`);
const reasonOfLast = async (): Promise<string | null> =>
  (
    await desk.runtime.db.row<{ revoked_reason: string | null }>(
      'SELECT revoked_reason FROM oauth_grants WHERE workspace_id = $id ORDER BY revoked_at DESC NULLS LAST LIMIT 1',
      { id: desk.workspace.id },
    )
  )?.revoked_reason ?? null;

describe('contract 11.4: refresh tokens rotate', () => {
  test('a refresh gives new tokens and ends both old ones at once', async () => {
    const first = await connected();
    const second = tokensOf(await refresh(first));
    expect(second.access).not.toBe(first.access);
    expect(second.refresh).not.toBe(first.refresh);
    expect(second.scope).toBe(first.scope);
    expect([await tryMcp(desk, first.access), await tryMcp(desk, second.access)]).toEqual([401, 200]);
  });

  test('a token that was just replaced gets the same tokens again, with what is left of their time', async () => {
    const first = await connected();
    const narrow = await refresh(first, { scope: 'contact.view' });
    await ofNewest('oauth_access_tokens', `expires_at = now() + interval '100 seconds'`);
    const again = await refresh(first);
    expect([again.status, tokensOf(again)]).toEqual([200, tokensOf(narrow)]);
    expect(tokensOf(again).scope).toBe('contact.view');
    expect(Number(again.json['expires_in'])).toBeGreaterThan(60);
    expect(Number(again.json['expires_in'])).toBeLessThanOrEqual(100);
    expect(await tryMcp(desk, first.access)).toBe(401);
    expect(await tryMcp(desk, tokensOf(again).access)).toBe(200);
  });

  test('ten refreshes at once get one pair of tokens', async () => {
    const first = await connected();
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(first)));
    expect(new Set(answers.map((answer) => JSON.stringify(tokensOf(answer)))).size).toBe(1);
    expect(await tryMcp(desk, String(answers[0]?.json['access_token']))).toBe(200);
  });

  test('one whose replacement has been used is refused, and ends nothing while calls may still cross', async () => {
    const first = await connected();
    const second = tokensOf(await refresh(first));
    const third = tokensOf(await refresh(second));
    expect((await refresh(first)).json['error']).toBe('invalid_grant');
    expect(await tryMcp(desk, third.access)).toBe(200);
    expect(tokensOf(await refresh(second))).toEqual(third);
  });

  test('RFC 9700 section 4.14.2: later reuse ends the connection, and that is committed', async () => {
    const first = await connected();
    const second = tokensOf(await refresh(first));
    await passed();
    const reuse = await refresh(first);
    expect([reuse.status, reuse.json['error']]).toEqual([400, 'invalid_grant']);
    expect(await tryMcp(desk, second.access)).toBe(401);
    expect((await refresh(second)).json['error']).toBe('invalid_grant');
    expect(await reasonOfLast()).toBe('refresh_token_reuse');
  });

  test('a connection that reuse has ended keeps its level at the next consent, a disconnected one not', async () => {
    const level = async (): Promise<unknown> =>
      (await session.api.get('/api/v1/connected-agents/')).body
        .filter(({ client_id }) => client_id === app.clientId)
        .map(({ autonomy }) => autonomy);
    const change = async (to?: string): Promise<void> => {
      const [agent] = (await session.api.get('/api/v1/connected-agents/')).body;
      const path = `/api/v1/connected-agents/${agent?.id}/`;
      await (to === undefined ? session.api.delete(path) : session.api.patch(path, { autonomy: to }));
    };
    const first = await connected();
    await change('autonomous');
    await refresh(first);
    await passed();
    await refresh(first);
    expect(await level()).toEqual([]);
    await connected();
    expect(await level()).toEqual(['autonomous']);
    await change();
    await connected();
    expect(await level()).toEqual(['approval']);
  });

  test('reuse by another client changes nothing', async () => {
    const first = await connected();
    const second = tokensOf(await refresh(first));
    const other = await registerClient(desk.workspace);
    for (const token of [first.refresh, second.refresh])
      expect((await postForm(desk, 'token', refreshForm(other, token))).json['error']).toBe('invalid_grant');
    expect(await tryMcp(desk, second.access)).toBe(200);
    expect((await refresh(second)).status).toBe(200);
  });

  test('an expired refresh token is refused and ends nothing', async () => {
    const tokens = await connected();
    await ofNewest('oauth_refresh_tokens', `expires_at = now() - interval '1 second'`);
    expect((await refresh(tokens)).json['error']).toBe('invalid_grant');
    expect(await tryMcp(desk, tokens.access)).toBe(200);
  });

  test('an expired access token is refused, its refresh token still works', async () => {
    const tokens = await connected();
    await ofNewest('oauth_access_tokens', `expires_at = now() - interval '1 second'`);
    expect(await tryMcp(desk, tokens.access)).toBe(401);
    expect((await refresh(tokens)).status).toBe(200);
  });
});

test('REFRESH_REUSE_GRACE_SECONDS=0: any reuse ends the connection', async () => {
  const own = await registerClient(strict.workspace);
  const first = await connect(strict, own, await createSession(strict.workspace.owner));
  const second = tokensOf(await postForm(strict, 'token', refreshForm(own, first.refresh)));
  expect((await postForm(strict, 'token', refreshForm(own, first.refresh))).json['error']).toBe('invalid_grant');
  expect(await tryMcp(strict, second.access)).toBe(401);
});

describe('agents whose calls cross when their access token has ended', () => {
  const clients = {
    '1.x': (platform: Platform): Promise<OfficialClient> => {
      const client = new Client1({ name: 'agent', version: '1.0.0' });
      const transport = new Transport1(new URL(`${desk.url}/mcp`), { authProvider: platform });
      return client.connect(transport).then(() => client);
    },
    '2.x': (platform: Platform): Promise<OfficialClient> => {
      const client = new Client2({ name: 'agent', version: '1.0.0' });
      const transport = new Transport2(new URL(`${desk.url}/mcp`), { authProvider: platform });
      return client.connect(transport).then(() => client);
    },
  };
  interface OfficialClient {
    callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  }
  const search = (client: OfficialClient): Promise<unknown> =>
    client.callTool({ name: 'search_contacts', arguments: {} });
  /** Returns a platform that holds the tokens, as read from a file that several processes share. */
  const platformWith = (tokens: Tokens): Platform => {
    const platform = new Platform(app);
    platform.saveTokens({ access_token: tokens.access, refresh_token: tokens.refresh, token_type: 'Bearer' });
    return platform;
  };
  const endAccess = (): Promise<unknown> =>
    ofOurs(`UPDATE oauth_access_tokens SET expires_at = now() - interval '1 second'`);

  test.each(['1.x', '2.x'] as const)('three calls of the official client %s at once', async (version) => {
    const platform = platformWith(await connected());
    const client = await clients[version](platform);
    await endAccess();
    await Promise.all([search(client), search(client), search(client)]);
    expect(platform.asked).toBeUndefined();
    expect(await tryMcp(desk, platform.tokens()?.access_token ?? '')).toBe(200);
  });

  test('five processes with one file of tokens', async () => {
    const tokens = await connected();
    const platforms = Array.from({ length: 5 }, () => platformWith(tokens));
    const agents = await Promise.all(platforms.map((platform, index) => clients[index % 2 ? '1.x' : '2.x'](platform)));
    await endAccess();
    await Promise.all(agents.map(search));
    expect(platforms.map(({ asked }) => asked)).toEqual(platforms.map(() => undefined));
    expect(new Set(platforms.map((platform) => platform.tokens()?.refresh_token)).size).toBe(1);
  });
});

describe('RFC 6749 section 6: scope of a refresh', () => {
  test('C2 10: a wider scope is invalid_scope and does not burn the token', async () => {
    const tokens = await connected();
    for (const scope of ['chat.view chat.assign', 'ticket.view', 'nonsense'])
      expect((await refresh(tokens, { scope })).json['error']).toBe('invalid_scope');
    expect(await tryMcp(desk, tokens.access)).toBe(200);
    expect((await refresh(tokens)).status).toBe(200);
  });

  test('a narrower scope narrows the access token, and the next refresh may have all again', async () => {
    const tokens = await connected();
    const narrow = tokensOf(await refresh(tokens, { scope: 'contact.view' }));
    expect(narrow.scope).toBe('contact.view');
    const call = (token: string, name: string): Promise<number> =>
      fetch(`${desk.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
      }).then(({ status }) => status);
    expect([await call(narrow.access, 'search_contacts'), await call(narrow.access, 'read_conversations')]).toEqual([
      200, 403,
    ]);
    const wide = tokensOf(await refresh(narrow));
    expect(wide.scope).toBe('chat.view contact.view');
    expect(await call(wide.access, 'read_conversations')).toBe(200);
  });

  test('RFC 8707: another resource is invalid_target and does not burn the token', async () => {
    const tokens = await connected();
    expect((await refresh(tokens, { resource: `${desk.url}/other` })).json['error']).toBe('invalid_target');
    expect((await refresh(tokens, { resource: `${desk.url}/mcp` })).status).toBe(200);
  });

  test('C2 20: the present permissions of the member bound refresh and calls; none left is invalid_grant', async () => {
    const member = await createMember(desk.workspace, { permissions: ['chat.view', 'contact.view'] });
    const tokens = await connect(desk, app, await createSession(member));
    await member.update({ permissions: ['contact.view'] });
    const second = tokensOf(await refresh(tokens));
    expect(second.scope).toBe('contact.view');
    await member.update({ permissions: [] });
    expect((await refresh(second)).json['error']).toBe('invalid_grant');
    await member.update({ permissions: ['chat.view', 'contact.view'] });
    expect(tokensOf(await refresh(second)).scope).toBe('chat.view contact.view');
  });

  test('an inactive member’s agent is refused everywhere', async () => {
    const member = await createMember(desk.workspace, { permissions: ['chat.view'] });
    const tokens = await connect(desk, app, await createSession(member));
    await member.update({ isActive: false });
    expect(await tryMcp(desk, tokens.access)).toBe(401);
    expect((await refresh(tokens)).json['error']).toBe('invalid_grant');
  });
});

test('contract 3: refreshing does not reset the rate limit, the bucket is the grant', async () => {
  const own = await registerClient(strict.workspace);
  let tokens = await connect(strict, own, await createSession(strict.workspace.owner));
  expect([
    await tryMcp(strict, tokens.access),
    await tryMcp(strict, tokens.access),
    await tryMcp(strict, tokens.access),
  ]).toEqual([200, 200, 200]);
  tokens = tokensOf(await postForm(strict, 'token', refreshForm(own, tokens.refresh)));
  expect(await tryMcp(strict, tokens.access)).toBe(429);
});

test('expired rows are removed; a rotated token stays known until it would have expired', async () => {
  const first = await connected();
  const second = tokensOf(await refresh(first));
  await ofOurs(`UPDATE oauth_access_tokens SET expires_at = now() - interval '1 day'`);
  await ofOurs(`UPDATE oauth_codes SET expires_at = now() - interval '2 days'`);
  const requests = `client_pk IN (SELECT id FROM oauth_clients WHERE workspace_id = $id)`;
  const { id } = desk.workspace;
  await desk.runtime.db.rows(`UPDATE oauth_requests SET expires_at = now() - interval '1 day' WHERE ${requests}`, {
    id,
  });
  await passed();
  await removeExpired(desk.runtime);
  for (const table of ['oauth_access_tokens', 'oauth_codes'])
    expect(await ofOurs(`SELECT 1 FROM ${table}`)).toEqual([]);
  expect(await desk.runtime.db.rows(`SELECT 1 FROM oauth_requests WHERE ${requests}`, { id })).toEqual([]);
  expect((await refresh(first)).json['error']).toBe('invalid_grant');
  expect(await reasonOfLast()).toBe('refresh_token_reuse');
  await ofOurs(`UPDATE oauth_refresh_tokens SET expires_at = now() - interval '1 day'`);
  await removeExpired(desk.runtime);
  expect(await ofOurs('SELECT 1 FROM oauth_refresh_tokens')).toEqual([]);
  expect((await refresh(second)).json['error']).toBe('invalid_grant');
});
