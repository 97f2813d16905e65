import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCli } from '../../admin/cli';
import { knownClients } from '../../api/services/identity/oauth/metadata';
import { createWebhookClient } from '../../api/core/http/webhookClient';
import { createMember, createSession, type TestSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import {
  authorizePath,
  codeForm,
  connect,
  createBrowser,
  obtainCode,
  openConsent,
  pkce,
  postForm,
  refreshForm,
  tokensOf,
  tryMcp,
  type TestClient,
} from './support';

type Json = Record<string, unknown>;

/*
 * Documents are served by this machine under made-up names, which the client of the service finds here: what a host
 * answers is the boundary, all else is real.
 */
const redirectUri = 'https://app.example/callback';
const addressOf = (name: string): string => `https://app.example/${name}.json`;
const right = (name: string, more: Json = {}): Json => ({
  client_id: addressOf(name),
  client_name: 'Helper',
  redirect_uris: [redirectUri],
  token_endpoint_auth_method: 'none',
  ...more,
});
const app = (name: string, uri = redirectUri): TestClient => ({
  pk: 0,
  clientId: addressOf(name),
  secret: null,
  redirectUri: uri,
});

let desk: TestApi;
let session: TestSession;
let host: http.Server;
const answers = new Map<string, (response: ServerResponse) => void>();
const asked: string[] = [];

const publish = (name: string, document: unknown): void =>
  void answers.set(name, (response) => response.end(JSON.stringify(document)));

beforeAll(async () => {
  host = http.createServer((request, response) => {
    const name = /([a-z-]+)\.json/.exec(request.url ?? '')?.[1] ?? '';
    asked.push(name);
    (answers.get(name) ?? ((none) => none.writeHead(404).end()))(response);
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const here = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;
  const [near, guarded] = [true, false].map((webhookAllowPrivate) => createWebhookClient({ webhookAllowPrivate }));
  if (!near || !guarded) throw new Error('two clients were made');
  desk = await sharedDesk('no sandbox', {
    webhooks: {
      post: guarded.post,
      fetch: guarded.fetch,
      read: (url, limits) =>
        url.startsWith('https://app.example/')
          ? near.read(url.replace('https://app.example/', here), limits)
          : guarded.read(url, limits),
      close: async () => void (await Promise.all([near.close(), guarded.close()])),
    },
  });
  session = await createSession(desk.workspace.owner);
});
afterAll(async () => {
  await desk.close();
  host.closeAllConnections();
  await new Promise((resolve) => host.close(resolve));
});
beforeEach(() => void asked.splice(0));

const register = (url: string, more: Json = {}, by = session): ReturnType<TestSession['api']['post']> =>
  by.api.post('/api/v1/oauth-clients/', { metadata_url: url, ...more });

describe('a client registered by its metadata document', () => {
  test('is asked for once; its address is its id, its host stands on the page, and its tokens work', async () => {
    publish('helper', right('helper'));
    const made = await register(addressOf('helper'));
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({
        client_id: addressOf('helper'),
        metadata_url: addressOf('helper'),
        name: 'Helper',
        client_type: 'public',
        redirect_uris: [redirectUri],
        client_secret: null,
      }),
    ]);
    const browser = createBrowser(desk, session);
    const page = await openConsent(app('helper'), browser, pkce().challenge);
    expect(page.text).toContain('<dt>It describes itself at</dt><dd><strong>app.example</strong></dd>');

    const tokens = await connect(desk, app('helper'), session);
    expect(await tryMcp(desk, tokens.access)).toBe(200);
    const refreshed = tokensOf(await postForm(desk, 'token', refreshForm(app('helper'), tokens.refresh)));
    expect([await tryMcp(desk, tokens.access), await tryMcp(desk, refreshed.access)]).toEqual([401, 200]);
    const agents = await session.api.get('/api/v1/connected-agents/');
    expect(agents.body.map(({ client_id }) => client_id)).toEqual([addressOf('helper')]);
    await postForm(desk, 'revoke', { client_id: addressOf('helper'), token: refreshed.refresh });
    expect(await tryMcp(desk, refreshed.access)).toBe(401);
    expect(asked).toEqual(['helper']);
    const log = await desk.runtime.db.rows<{ action: string; given: Json }>(
      'SELECT action, given FROM security_log WHERE workspace_id = $id',
      { id: desk.workspace.id },
    );
    expect(log.map(({ action, given }) => [action, given['metadata_url'] ?? given['client_id']])).toEqual(
      expect.arrayContaining([
        ['oauthClients.create', addressOf('helper')],
        ['connectedAgents.connect', addressOf('helper')],
      ]),
    );
  });

  test('by the CLI too, with a port for loopback addresses that stand for any', async () => {
    let stdout = '';
    const cli = (...argv: string[]): Promise<number> =>
      runCli(['--json', 'oauth-client', ...argv], {
        env: { ...desk.test.env, WEBHOOK_ALLOW_PRIVATE: '1' },
        stdout: (text) => (stdout += text),
        stderr: (text) => (stdout += text),
      });
    // The CLI is a process of its own, which knows nothing of the names that are made up here.
    const here = `http://127.0.0.1:${(host.address() as AddressInfo).port}/program.json`;
    publish('program', right('program', { client_id: here, redirect_uris: ['http://localhost/callback'] }));
    const workspace = String(desk.workspace.id);
    expect(await cli('create', '--workspace', workspace, '--metadata-url', here, '--callback-port', '3118')).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      client_id: here,
      name: 'Helper',
      redirect_uris: ['http://localhost:3118/callback'],
    });
    expect(await cli('disable', here)).toBe(0);
  });

  test('from the page, which offers those that are known and says what was wrong', async () => {
    publish('paged', right('paged'));
    const cookie = `token=${session.token}`;
    const page = await desk.anonymous.get<string>('/dashboard/agents/clients/new/', { cookie });
    for (const { name, url } of knownClients) {
      expect(page.body).toContain(`Register ${name}</button>`);
      expect(page.body).toContain(`value="${url}"`);
    }
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const post = (name: string): Promise<{ status: number; body: string }> =>
      desk.anonymous.post<string>(
        '/dashboard/agents/clients/by-document/',
        new URLSearchParams({ csrf, metadata_url: addressOf(name), callback_port: '' }),
        { cookie },
      );
    const made = await post('paged');
    expect([made.status, made.body]).toEqual([200, expect.stringContaining(redirectUri)]);
    const wrong = await post('nothing-there');
    expect([wrong.status, wrong.body]).toEqual([422, expect.stringContaining('answered with status 404')]);
    const list = await desk.anonymous.get<string>('/dashboard/agents/', { cookie });
    expect(list.body).toContain('Read again');
  });

  test('belongs to each workspace that registered it: who signs in says which is meant', async () => {
    publish('shared', right('shared'));
    const other = await createWorkspace(desk, { connected: false });
    const theirs = await createSession(other.owner);
    const third = await createSession((await createWorkspace(desk, { connected: false })).owner);
    expect([
      (await register(addressOf('shared'))).status,
      (await register(addressOf('shared'), {}, theirs)).status,
    ]).toEqual([201, 201]);
    const [ours, foreign] = [await connect(desk, app('shared'), session), await connect(desk, app('shared'), theirs)];
    const names = async (by: TestSession): Promise<string[]> =>
      (await by.api.get('/api/v1/connected-agents/')).body.map(({ client_id }) => client_id);
    expect([await names(session), await names(theirs)]).toEqual([[addressOf('shared')], [addressOf('shared')]]);
    // One workspace's end is not the other's.
    const [client] = (await theirs.api.get('/api/v1/oauth-clients/')).body;
    await theirs.api.post(`/api/v1/oauth-clients/${client?.id}/disable/`, {});
    expect([await tryMcp(desk, ours.access), await tryMcp(desk, foreign.access)]).toEqual([200, 401]);
    const page = await openConsent(app('shared'), createBrowser(desk, third), pkce().challenge);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('registered in another workspace')]);
  });

  test('a code of one workspace is worth nothing by the registration of another', async () => {
    const member = await createSession(await createMember(desk.workspace, { permissions: ['chat.view'] }));
    const { code } = await obtainCode(app('shared'), createBrowser(desk, member));
    const wrong = await postForm(desk, 'token', codeForm(app('shared'), code, pkce().verifier));
    expect([wrong.status, wrong.json['error']]).toEqual([400, 'invalid_grant']);
  });
});

describe('what a document says later', () => {
  test('is refused until it is registered again', async () => {
    publish('changing', right('changing'));
    await register(addressOf('changing'));
    const before = await connect(desk, app('changing'), session);
    const later = 'https://elsewhere.example/callback';
    publish('changing', right('changing', { client_name: 'Helper 2', redirect_uris: [later] }));
    asked.splice(0);
    const refused = await createBrowser(desk, session).get(authorizePath(app('changing', later), pkce().challenge));
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('If its document has changed, an owner accepts it by registering it again'),
    ]);
    expect([asked, await tryMcp(desk, before.access)]).toEqual([[], 200]);

    const again = await register(addressOf('changing'));
    expect(again.body).toMatchObject({ name: 'Helper 2', redirect_uris: [later] });
    expect(await tryMcp(desk, (await connect(desk, app('changing', later), session)).access)).toBe(200);
    const gone = await createBrowser(desk, session).get(authorizePath(app('changing'), pkce().challenge));
    expect(gone.status).toBe(400);
  });
});

describe('what is refused, and by what name', () => {
  test('an address that is not registered is asked for nothing', async () => {
    publish('stranger', right('stranger'));
    const answer = await createBrowser(desk, session).get(authorizePath(app('stranger'), pkce().challenge));
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('The application of app.example is not registered here.'),
    ]);
    expect(asked).toEqual([]);
  });

  test.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['forged', (r) => r.end(JSON.stringify(right('helper'))), /its client_id must be its own address/],
    ['redirecting', (r) => r.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /leads to another one/],
    ['huge', (r) => r.end(JSON.stringify(right('huge', { logo: 'x'.repeat(6_000) }))), /longer than 5120 bytes/],
    ['slow', (r) => void r.write('{'), /did not answer within 5 s|longer than/],
    ['missing', (r) => r.writeHead(404).end(), /answered with status 404/],
    ['a-page', (r) => r.end('<!doctype html>'), /no JSON object/],
    ['with-secret', (r) => r.end(JSON.stringify(right('with-secret', { client_secret: 's' }))), /without a secret/],
    [
      'with-key',
      (r) => r.end(JSON.stringify(right('with-key', { token_endpoint_auth_method: 'private_key_jwt' }))),
      /without a secret/,
    ],
    [
      'nowhere',
      (r) => r.end(JSON.stringify(right('nowhere', { redirect_uris: undefined }))),
      /no list of redirect_uris/,
    ],
  ])('a document that is %s', async (name, respond, text) => {
    answers.set(name, respond);
    const { status, body } = await register(addressOf(name));
    expect([status, body]).toEqual([400, { metadata_url: [expect.stringMatching(text)] }]);
  });

  test('a redirect URI that no client may have', async () => {
    publish('bad-uri', right('bad-uri', { redirect_uris: ['http://agent.example/cb'] }));
    expect((await register(addressOf('bad-uri'))).body).toHaveProperty('redirect_uris');
  });

  test.each([
    ['https://127.0.0.1/client.json', /not public/],
    ['https://169.254.169.254/client.json', /not public/],
    ['https://localhost/client.json', /does not resolve to public addresses only/],
    ['http://agent.example/client.json', /must begin with https/],
    ['https://agent.example/', /has a path/],
    ['https://agent.example/a/../client.json', /as the application sends it/],
    ['https://user:pass@agent.example/client.json', /user name or password/],
    ['ftp://agent.example/client.json', /as the application sends it/],
  ])('the address %s', async (url, text) => {
    const { status, body } = await register(url);
    expect([status, body]).toEqual([400, { metadata_url: [expect.stringMatching(text)] }]);
  });
});
