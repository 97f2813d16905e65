import { createPrivateKey, generateKeyPairSync, sign, type JsonWebKey } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';

type Claims = Record<string, unknown>;

/** A company's OpenID Connect provider on a port of its own, whose person signs in without being asked. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who is at the browser. */
  person: { sub: string; email: string; email_verified: boolean; name: string };
  /** Changes what the token says, signed again with the provider's key or an earlier one. */
  forge: { readonly claims?: (claims: Claims) => Claims; readonly withKey?: JsonWebKey } | null;
  /** The key that signs. */
  key: JsonWebKey;
  /** Draws another key in its place. */
  rotate(): void;
  /** From here on the token says no more than the subject. */
  beThin(): void;
  /** Goes where a sign-in leads, as a browser of its own, until it leads back; returns that address. */
  visit(url: string): Promise<string>;
  close(): Promise<void>;
}

const client = { clientId: 'msgdesk', clientSecret: 'a secret of the client that is long enough' };
const cookieKeys = ['cookies of a test'];

/** Starts one that sends people back to these addresses. */
export async function startProvider(redirectUris: readonly string[]): Promise<IdentityProvider> {
  let provider: Provider;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/interaction/')) void letIn(request, response);
    else provider.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const adapter = createMemoryAdapter(0);
  let isThin = false;
  const make = (): Provider => {
    const made = new Provider(issuer, {
      adapter,
      clients: [
        {
          client_id: client.clientId,
          client_secret: client.clientSecret,
          redirect_uris: redirectUris,
          response_types: ['code'],
          grant_types: ['authorization_code'],
        },
      ],
      jwks: { keys: [idp.key] },
      cookies: { keys: cookieKeys },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      conformIdTokenClaims: isThin,
      findAccount: (_ctx: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ ...idp.person, sub }),
      }),
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 3_600, Interaction: 600, Session: 600 },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    });
    made.use(async (ctx, next) => {
      await next();
      const body = ctx.body as { id_token?: string } | undefined;
      if (ctx.oidc?.route === 'token' && idp.forge && body?.id_token)
        ctx.body = { ...body, id_token: forged(body.id_token, idp.forge, idp.key) };
    });
    return made;
  };
  const idp: IdentityProvider = {
    issuer,
    ...client,
    person: { sub: 'sub-1', email: 'sam@green.example', email_verified: true, name: 'Sam Green' },
    forge: null,
    key: newKey(),
    rotate() {
      idp.key = newKey();
      provider = make();
    },
    beThin() {
      isThin = true;
      provider = make();
    },
    visit,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  provider = make();

  async function letIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { sub: accountId } = idp.person;
    const grant = new provider.Grant({ accountId, clientId: client.clientId });
    grant.addOIDCScope('openid email profile');
    const result = { login: { accountId }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result);
  }

  return idp;
}

/** Goes where a browser is led from here, until that is another site. */
async function visit(start: string): Promise<string> {
  const { origin } = new URL(start);
  const cookies = new Map<string, string>();
  for (let url = start; ;) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`the provider leads nowhere: ${await answer.text()}`);
    url = new URL(location, url).href;
    if (new URL(url).origin !== origin) return url;
  }
}

function newKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = `key-${Math.random().toString(36).slice(2)}`;
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
}

function forged(token: string, forge: NonNullable<IdentityProvider['forge']>, own: JsonWebKey): string {
  const [, payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  const key = forge.withKey ?? own;
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encode({ alg: 'RS256', kid: key['kid'] })}.${encode((forge.claims ?? ((same) => same))(claims))}`;
  const signature = sign('sha256', Buffer.from(text), createPrivateKey({ key, format: 'jwk' }));
  return `${text}.${signature.toString('base64url')}`;
}
