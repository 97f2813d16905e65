/*
 * The OAuth flow as a client and a browser go through it, step by step over HTTP.
 *
 * const app = await registerClient(desk.workspace); // or { type: 'confidential', redirectUris: [...] }
 *   const browser = createBrowser(desk, await createSession(owner));   // keeps cookies, follows nothing by itself
 *   const { code, verifier } = await obtainCode(desk, app, browser, { scope: 'chat.view', grant: ['chat.view'] });
 *   const tokens = await redeem(desk, app, code, verifier);
 *   const connected = await connect(desk, app, session);               // all of it
 */
import { createHash, randomBytes } from 'node:crypto';
import { createClient, type ClientType } from '../../api/services/identity/oauth/clients';
import type { TestServer } from '../support/api';
import type { TestSession } from '../factories/members';
import type { TestWorkspace } from '../factories/workspaces';

export const redirectUri = 'https://agent.example/callback';

export interface TestClient {
  readonly pk: number;
  readonly clientId: string;
  readonly secret: string | null;
  readonly redirectUri: string;
}

/** Registers a client in a workspace. */
export async function registerClient(
  workspace: TestWorkspace,
  options: { readonly type?: ClientType; readonly redirectUris?: readonly string[]; readonly name?: string } = {},
): Promise<TestClient> {
  const redirectUris = options.redirectUris ?? [redirectUri];
  const { client, clientSecret } = await createClient(workspace.ctx, {
    name: options.name ?? 'Test agent',
    redirectUris,
    type: options.type ?? 'public',
  });
  return { pk: client.id, clientId: client.client_id, secret: clientSecret, redirectUri: redirectUris[0] ?? '' };
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
  /** Where a redirect leads. */
  readonly location: URL | null;
}

async function reply(answer: Response): Promise<Reply> {
  const text = await answer.text();
  const location = answer.headers.get('location');
  const isJson = (answer.headers.get('content-type') ?? '').includes('application/json') && text !== '';
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
    location: location === null ? null : new URL(location, answer.url),
  };
}

/** Speaks HTTP like a browser that follows nothing by itself. */
export interface TestBrowser {
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  submit(
    path: string,
    fields: readonly (readonly [string, string])[],
    headers?: Record<string, string>,
  ): Promise<Reply>;
  readonly cookies: Map<string, string>;
}

/** Returns a browser, signed in with a session or not. */
export function createBrowser(desk: TestServer, session?: TestSession): TestBrowser {
  const cookies = new Map<string, string>(session ? [['token', session.token]] : []);
  async function send(path: string, init: RequestInit): Promise<Reply> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(new URL(path, desk.url), {
      ...init,
      redirect: 'manual',
      headers: { ...(cookie ? { cookie } : {}), ...(init.headers as Record<string, string>) },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (pair.slice(at + 1) === '') cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return reply(answer);
  }
  return {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    submit: (path, fields, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
      }),
  };
}

/** Returns a verifier and its challenge (RFC 7636). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Parameters of a right authorization request; null leaves one out. */
export function authorizePath(app: TestClient, challenge: string, changes: Record<string, string | null> = {}): string {
  const values: Record<string, string | null> = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'st',
    scope: 'chat.view contact.view',
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== null) query.set(name, value);
  return `/oauth/mcp/authorize?${query.toString()}`;
}

/** Returns the hidden fields of the consent page. */
export function hiddenFields(html: string): Record<string, string> {
  const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/?>/g);
  return Object.fromEntries([...hidden].map(([, name, value]) => [name, value]));
}

/** The names of the check-boxes that can be ticked. */
export function offeredScopes(html: string): string[] {
  return [...html.matchAll(/<input type="checkbox" name="scope" value="([^"]*)" checked(?:="")?\/?>/g)].map(
    ([, value]) => value ?? '',
  );
}

/** Opens the consent page of a right request. */
export async function openConsent(
  app: TestClient,
  browser: TestBrowser,
  challenge: string,
  changes: Record<string, string | null> = {},
): Promise<Reply> {
  const started = await browser.get(authorizePath(app, challenge, changes));
  if (started.status !== 303 || !started.location)
    throw new Error(`authorize answered ${started.status} ${started.text}`);
  return browser.get(started.location.pathname + started.location.search);
}

/** Answers a consent page. */
export function answerConsent(
  browser: TestBrowser,
  page: Reply,
  decision: 'allow' | 'deny',
  scopes: readonly string[],
  changes: Record<string, string> = {},
): Promise<Reply> {
  return browser.submit('/oauth/mcp/consent', [
    ...Object.entries({ ...hiddenFields(page.text), decision, ...changes }),
    ...scopes.map((scope) => ['scope', scope] as const),
  ]);
}

/** Goes from the request to the code. */
export async function obtainCode(
  app: TestClient,
  browser: TestBrowser,
  options: { readonly changes?: Record<string, string | null>; readonly grant?: readonly string[] } = {},
): Promise<{ code: string; verifier: string }> {
  const { verifier, challenge } = pkce();
  const page = await openConsent(app, browser, challenge, options.changes);
  const answer = await answerConsent(browser, page, 'allow', options.grant ?? offeredScopes(page.text));
  const code = answer.location?.searchParams.get('code');
  if (!code) throw new Error(`consent answered ${answer.status} ${answer.location?.href ?? answer.text}`);
  return { code, verifier };
}

/**
 * Answers an authorization request that a client made: signed in, everything that is offered allowed. Gives where it
 * leads back to.
 */
export async function consentTo(desk: TestServer, session: TestSession, asked: URL): Promise<URL> {
  const browser = createBrowser(desk, session);
  const started = await browser.get(asked.pathname + asked.search);
  if (!started.location) throw new Error(`authorize answered ${started.status} ${started.text}`);
  const page = await browser.get(started.location.pathname + started.location.search);
  const { location, status, text } = await answerConsent(browser, page, 'allow', offeredScopes(page.text));
  if (!location) throw new Error(`consent answered ${status} ${text}`);
  return location;
}

/** Posts a form to the token or revocation endpoint; null leaves a parameter out. */
export async function postForm(
  desk: TestServer,
  path: 'token' | 'revoke',
  values: Record<string, string | null> | string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const body =
    typeof values === 'string'
      ? values
      : new URLSearchParams(
          Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== null),
        ).toString();
  return reply(
    await fetch(`${desk.url}/oauth/mcp/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    }),
  );
}

/** Returns the parameters of a right code redemption. */
export function codeForm(app: TestClient, code: string, verifier: string): Record<string, string | null> {
  return {
    grant_type: 'authorization_code',
    client_id: app.clientId,
    client_secret: app.secret,
    redirect_uri: app.redirectUri,
    code,
    code_verifier: verifier,
  };
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly scope: string;
}

/** Returns the tokens of a token response; throws on a refusal. */
export function tokensOf(answer: Reply): Tokens {
  if (answer.status !== 200) throw new Error(`token endpoint answered ${answer.status} ${answer.text}`);
  const { access_token, refresh_token, scope } = answer.json as Record<string, string>;
  return { access: access_token ?? '', refresh: refresh_token ?? '', scope: scope ?? '' };
}

/** Returns the parameters of a right refresh. */
export function refreshForm(app: TestClient, refresh: string): Record<string, string | null> {
  return { grant_type: 'refresh_token', client_id: app.clientId, client_secret: app.secret, refresh_token: refresh };
}

/** Returns a connected agent: from the request to its tokens. */
export async function connect(
  desk: TestServer,
  app: TestClient,
  session: TestSession,
  options: { readonly changes?: Record<string, string | null>; readonly grant?: readonly string[] } = {},
): Promise<Tokens> {
  const { code, verifier } = await obtainCode(app, createBrowser(desk, session), options);
  return tokensOf(await postForm(desk, 'token', codeForm(app, code, verifier)));
}

/** Returns what `/mcp` says to a bearer token: 200, or the status of the refusal. */
export async function tryMcp(desk: TestServer, token: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(`${desk.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await answer.text();
  return answer.status;
}
