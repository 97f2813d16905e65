import { startApi, type TestApi } from '../support/api';
import { createMember, createSession, type TestSession } from '../factories/members';
import { removeExpired } from '../../api/services/processes/maintenance/service';
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
let app: TestClient;
let session: TestSession;
beforeAll(async () => {
  desk = await startApi({ sandbox: false });
  app = await registerClient(desk.workspace);
  session = await createSession(desk.workspace.owner);
});
afterAll(() => desk.close());

const connected = (): Promise<Tokens> => connect(desk, app, session);
const refresh = (tokens: Tokens, changes: Record<string, string | null> = {}): ReturnType<typeof postForm> =>
  postForm(desk, 'token', { ...refreshForm(app, tokens.refresh), ...changes });
const reasonOfLast = async (): Promise<string | null> =>
  (
    await desk.runtime.db.row<{ revoked_reason: string | null }>(
      'SELECT revoked_reason FROM oauth_grants ORDER BY revoked_at DESC NULLS LAST LIMIT 1',
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

  test('RFC 9700 section 4.14.2: reuse of a rotated token ends the family, and that is committed', async () => {
    const first = await connected();
    const second = tokensOf(await refresh(first));
    const third = tokensOf(await refresh(second));
    const reuse = await refresh(first);
    expect([reuse.status, reuse.json['error']]).toEqual([400, 'invalid_grant']);
    expect(await tryMcp(desk, third.access)).toBe(401);
    expect((await refresh(third)).json['error']).toBe('invalid_grant');
    expect(await reasonOfLast()).toBe('refresh_token_reuse');
  });

  test('ten refreshes at once: one wins, the others are refused, and the family ends', async () => {
    const first = await connected();
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(first)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ json }) => json['error'] === 'invalid_grant')).toHaveLength(9);
    expect(await tryMcp(desk, String(won[0]?.json['access_token']))).toBe(401);
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
    await desk.runtime.db.rows(
      `UPDATE oauth_refresh_tokens SET expires_at = now() - interval '1 second'
        WHERE id = (SELECT max(id) FROM oauth_refresh_tokens)`,
    );
    expect((await refresh(tokens)).json['error']).toBe('invalid_grant');
    expect(await tryMcp(desk, tokens.access)).toBe(200);
  });

  test('an expired access token is refused, its refresh token still works', async () => {
    const tokens = await connected();
    await desk.runtime.db.rows(
      `UPDATE oauth_access_tokens SET expires_at = now() - interval '1 second'
        WHERE id = (SELECT max(id) FROM oauth_access_tokens)`,
    );
    expect(await tryMcp(desk, tokens.access)).toBe(401);
    expect((await refresh(tokens)).status).toBe(200);
  });
});

describe('REFRESH_REUSE_GRACE_SECONDS', () => {
  let graceful: TestApi;
  beforeAll(async () => {
    graceful = await startApi({ sandbox: false, env: { REFRESH_REUSE_GRACE_SECONDS: '60' } });
  });
  afterAll(() => graceful.close());

  test('within it reuse is refused but ends nothing; after it the family ends', async () => {
    const own = await registerClient(graceful.workspace);
    const first = await connect(graceful, own, await createSession(graceful.workspace.owner));
    const second = tokensOf(await postForm(graceful, 'token', refreshForm(own, first.refresh)));
    expect((await postForm(graceful, 'token', refreshForm(own, first.refresh))).json['error']).toBe('invalid_grant');
    expect(await tryMcp(graceful, first.access)).toBe(401);
    expect(await tryMcp(graceful, second.access)).toBe(200);
    await graceful.runtime.db.rows(
      `UPDATE oauth_refresh_tokens SET rotated_at = now() - interval '61 seconds' WHERE rotated_at IS NOT NULL`,
    );
    expect((await postForm(graceful, 'token', refreshForm(own, first.refresh))).json['error']).toBe('invalid_grant');
    expect(await tryMcp(graceful, second.access)).toBe(401);
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
  const limited = await startApi({ sandbox: false, env: { RATE_LIMIT_PER_MINUTE: '3' } });
  try {
    const own = await registerClient(limited.workspace);
    let tokens = await connect(limited, own, await createSession(limited.workspace.owner));
    expect([
      await tryMcp(limited, tokens.access),
      await tryMcp(limited, tokens.access),
      await tryMcp(limited, tokens.access),
    ]).toEqual([200, 200, 200]);
    tokens = tokensOf(await postForm(limited, 'token', refreshForm(own, tokens.refresh)));
    expect(await tryMcp(limited, tokens.access)).toBe(429);
  } finally {
    await limited.close();
  }
});

test('expired rows are removed; a rotated token stays known until it would have expired', async () => {
  const first = await connected();
  const second = tokensOf(await refresh(first));
  await desk.runtime.db.rows(`UPDATE oauth_access_tokens SET expires_at = now() - interval '1 day'`);
  await desk.runtime.db.rows(`UPDATE oauth_codes SET expires_at = now() - interval '2 days'`);
  await desk.runtime.db.rows(`UPDATE oauth_requests SET expires_at = now() - interval '1 day'`);
  await removeExpired(desk.runtime);
  for (const table of ['oauth_access_tokens', 'oauth_codes', 'oauth_requests'])
    expect(await desk.runtime.db.rows(`SELECT 1 FROM ${table}`)).toHaveLength(0);
  expect((await refresh(first)).json['error']).toBe('invalid_grant');
  expect(await reasonOfLast()).toBe('refresh_token_reuse');
  await desk.runtime.db.rows(`UPDATE oauth_refresh_tokens SET expires_at = now() - interval '1 day'`);
  await removeExpired(desk.runtime);
  expect(await desk.runtime.db.rows('SELECT 1 FROM oauth_refresh_tokens')).toHaveLength(0);
  expect((await refresh(second)).json['error']).toBe('invalid_grant');
});
