import OAuth2Server from '@node-oauth/oauth2-server';
import { literal } from 'sequelize';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { sha256 } from '../../../core/secrets';
import type { StoredClient } from './clients';
import { GrantModel, lifetimes, revokeFamily, type Holder } from './model';
import { OAuthRefusal, type OAuthErrorCode } from './refusal';

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' };

/** A checked token request of an authenticated client. */
interface TokenRequest {
  readonly grantType: 'authorization_code' | 'refresh_token';
  readonly code: string | null;
  readonly codeVerifier: string | null;
  readonly redirectUri: string | null;
  readonly refreshToken: string | null;
  readonly resource: string | null;
  readonly scopes: readonly string[] | null;
}

/** The token response of RFC 6749 section 5.1. */
interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** Builds the protocol's server for one request of one client. */
function oauthServerFor(
  runtime: Runtime,
  client: StoredClient,
  asked: Pick<TokenRequest, 'redirectUri' | 'resource' | 'scopes'>,
): OAuth2Server {
  return new OAuth2Server({
    model: new GrantModel(runtime, client, asked),
    accessTokenLifetime: lifetimes.accessToken,
    refreshTokenLifetime: lifetimes.refreshToken,
    authorizationCodeLifetime: lifetimes.code,
    alwaysIssueNewRefreshToken: true,
    allowEmptyState: true,
    // Clients are authenticated before the library sees them: it would take a verifier in place of a secret.
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
  });
}

function request(body: Record<string, string | null>): OAuth2Server.Request {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  return new OAuth2Server.Request({ method: 'POST', headers: formHeaders, query: {}, body: given });
}

/** Issues the code of a consent that was given; joins the caller's transaction. */
export async function issueCode(
  runtime: Runtime,
  client: StoredClient,
  consent: {
    readonly redirectUri: string;
    readonly codeChallenge: string;
    readonly scopes: readonly string[];
    readonly grantId: number;
    readonly familyId: number;
  },
): Promise<string> {
  const { grantId, familyId, scopes: held } = consent;
  const holder: Holder = { grantId, familyId, held };
  const code = await oauthServerFor(runtime, client, {
    redirectUri: consent.redirectUri,
    resource: null,
    scopes: null,
  }).authorize(
    request({
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: consent.redirectUri,
      scope: consent.scopes.join(' '),
      code_challenge: consent.codeChallenge,
      code_challenge_method: 'S256',
    }),
    new OAuth2Server.Response(),
    { authenticateHandler: { handle: () => holder } },
  );
  return code.authorizationCode;
}

/**
 * Exchanges a code or refresh token for new tokens. A refusal commits what it has done before it is thrown: a used code
 * stays used, and a family that was revoked for a replay stays revoked (RFC 9700 section 4.14.2).
 */
export async function exchange(runtime: Runtime, client: StoredClient, asked: TokenRequest): Promise<TokenAnswer> {
  const answer = new OAuth2Server.Response();
  const refusal = await runtime.db.transaction(async () => {
    try {
      await oauthServerFor(runtime, client, asked).token(
        request({
          grant_type: asked.grantType,
          client_id: client.client_id,
          code: asked.code,
          code_verifier: asked.codeVerifier,
          redirect_uri: asked.redirectUri,
          refresh_token: asked.refreshToken,
          scope: asked.grantType === 'refresh_token' ? (asked.scopes?.join(' ') ?? null) : null,
        }),
        answer,
      );
      return null;
    } catch (error) {
      return toRefusal(error);
    }
  });
  if (refusal) throw refusal;
  const tokens = answer.body as TokenAnswer;
  // The library counts from a moment later, and rounds down.
  return { ...tokens, expires_in: Math.min(lifetimes.accessToken, tokens.expires_in + 1) };
}

/**
 * Returns the library's refusals in our form; throws a fault of ours, which it wraps, so that the transaction is
 * undone.
 */
function toRefusal(error: unknown): OAuthRefusal {
  if (error instanceof OAuth2Server.OAuthError && error.code < 500)
    return new OAuthRefusal(error.name as OAuthErrorCode, error.message);
  const inner = (error as { inner?: unknown }).inner;
  throw inner instanceof Error ? inner : error;
}

/**
 * Revokes a token of this client (RFC 7009): an access token alone, a refresh token with its family. A token that
 * is unknown or another client's changes nothing, and the answer does not tell which it was.
 */
export async function revoke(runtime: Runtime, client: StoredClient, token: string): Promise<void> {
  const { OauthAccessToken, OauthRefreshToken } = runtime.db.models;
  const where = { token_hash: sha256(token) };

  const refresh = await OauthRefreshToken.findOne({ attributes: ['grant_id', 'family_id'], where, raw: true });
  if (refresh?.family_id && (await isGrantOf(runtime, client, refresh.grant_id))) {
    await revokeFamily(runtime, refresh.family_id, 'revoked_by_client');
    return;
  }

  const access = await OauthAccessToken.findOne({ attributes: ['grant_id'], where, raw: true });
  if (access && (await isGrantOf(runtime, client, access.grant_id)))
    await OauthAccessToken.update({ revoked_at: literal('now()') }, { where: { ...where, revoked_at: null } });
}

async function isGrantOf(runtime: Runtime, client: StoredClient, grantId: number): Promise<boolean> {
  const grants = of({ workspaceId: client.workspace_id }, runtime.db.models.OauthGrant);
  return (await grants.count({ where: { id: grantId, client_pk: client.id } })) > 0;
}
