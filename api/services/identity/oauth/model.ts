import OAuth2Server from '@node-oauth/oauth2-server';
import { literal } from 'sequelize';
import { consentableScopes, isScope, memberScopes } from '../../../core/http/access';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { keyedHash, randomToken, sha256, subkey } from '../../../core/secrets';
import type { StoredClient } from './clients';
import { accessTokenPrefix, unexpiredFamilySql } from './grants';

const codePrefix = 'mcp_ac_';
const refreshTokenPrefix = 'mcp_rt_';
/** Seconds (contract 3.1, 11). */
export const lifetimes = { code: 120, accessToken: 8 * 3_600, refreshToken: 30 * 86_400 } as const;

/** Why a connection, or a family of its tokens, was ended. */
export type RevokedReason = 'disconnected' | 'revoked_by_client' | 'code_reuse' | 'refresh_token_reuse' | 'forgotten';

interface GrantColumns {
  grant_id: number;
  family_id: number;
  /** What its own consent allowed, and what the newest one of the connection does. */
  consented: string[];
  allowed: string[];
  resource: string;
  revoked_at: Date | null;
  is_active: boolean;
  role: string;
  permissions: string[];
  is_live: boolean;
}
type CodeRow = GrantColumns & { redirect_uri: string; code_challenge: string; expires_at: Date; used_at: Date | null };
type RefreshRow = GrantColumns & { id: number; expires_at: Date; rotated_at: Date | null; in_grace: boolean };

/** The tokens that replace a refresh token. */
interface Successor {
  readonly access: string;
  readonly refresh: string;
}

/**
 * Returns the tokens that replace a refresh token. They are derived from it, so that a client which asks twice gets the
 * same pair while only hashes are kept; nobody can derive them without the installation's key.
 */
function successorOf(key: Buffer, refreshToken: string): Successor {
  const derived = (kind: string): string =>
    keyedHash(subkey(key, 'tokens that replace a refresh token'), `${kind} ${refreshToken}`).toString('base64url');
  return { access: accessTokenPrefix + derived('access'), refresh: refreshTokenPrefix + derived('refresh') };
}

const grantJoins = `JOIN oauth_families f ON f.id = x.family_id JOIN oauth_grants g ON g.id = f.grant_id
  JOIN members m ON m.id = g.member_id`;
const grantColumns = `g.id AS grant_id, f.id AS family_id, f.scopes AS consented, g.scopes AS allowed, g.resource,
  coalesce(g.revoked_at, f.revoked_at) AS revoked_at, m.is_active, m.role, m.permissions,
  x.expires_at > now() AND ${unexpiredFamilySql('g')} AS is_live`;

/** Returns what a family may have: the newest consent cuts what older ones allowed. */
function grantedOf(row: GrantColumns): string[] {
  return row.consented.filter((scope) => row.allowed.includes(scope));
}

/** What the token request itself says beside its code or refresh token. */
interface Asked {
  readonly redirectUri: string | null;
  readonly resource: string | null;
  readonly scopes: readonly string[] | null;
}

/** Ends one family: the code of a consent and the tokens that came of it. Others of the connection live on. */
export async function revokeFamily(runtime: Runtime, familyId: number, reason: RevokedReason): Promise<void> {
  await runtime.db.models.OauthFamily.update(
    { revoked_at: literal('now()'), revoked_reason: reason },
    { where: { id: familyId, revoked_at: null } },
  );
}

/** Ends a connection and with it every code and token that hangs on it. */
async function revokeGrant(
  runtime: Runtime,
  client: Pick<StoredClient, 'workspace_id'>,
  grantId: number,
  reason: RevokedReason,
): Promise<void> {
  await of({ workspaceId: client.workspace_id }, runtime.db.models.OauthGrant).update(
    { revoked_at: literal('now()'), revoked_reason: reason },
    { where: { id: grantId, revoked_at: null } },
  );
}

/**
 * Reads and writes what the OAuth library asks for, for one request of one client that has authenticated already.
 * Everything that refuses without consequence happens before the library consumes a code or a refresh token; what
 * consumes locks its row, so of two simultaneous requests the second one sees a replay. Runs inside the caller's
 * transaction. Lifetimes are set and checked by the database's clock alone, so those inserts and reads are SQL.
 */
export class GrantModel implements OAuth2Server.AuthorizationCodeModel, OAuth2Server.RefreshTokenModel {
  private readonly client: OAuth2Server.Client;

  constructor(
    private readonly runtime: Runtime,
    private readonly stored: StoredClient,
    private readonly asked: Asked,
  ) {
    this.client = {
      id: stored.client_id,
      redirectUris: stored.redirect_uris,
      grants: ['authorization_code', 'refresh_token'],
    };
  }

  /** Returns the client whose secret was checked before; the library knows no other one. */
  getClient(clientId: string): Promise<OAuth2Server.Client | null> {
    return Promise.resolve(clientId === this.stored.client_id ? this.client : null);
  }

  /** Compares by character; the library's own way takes a single text for a set of substrings. */
  validateRedirectUri(redirectUri: string): Promise<boolean> {
    return Promise.resolve(this.stored.redirect_uris.some((registered) => registered === redirectUri));
  }

  /** Returns what the grant's member holds now, of what was granted. */
  validateScope(user: OAuth2Server.User, _client: OAuth2Server.Client, scope?: string[]): Promise<string[]> {
    const held = (user as Holder).held;
    return Promise.resolve((scope ?? []).filter((name) => held.includes(name)));
  }

  generateAuthorizationCode(): Promise<string> {
    return Promise.resolve(codePrefix + randomToken(32));
  }

  generateAccessToken(_client: OAuth2Server.Client, user: OAuth2Server.User): Promise<string> {
    return Promise.resolve((user as Holder).successor?.access ?? accessTokenPrefix + randomToken(32));
  }

  generateRefreshToken(_client: OAuth2Server.Client, user: OAuth2Server.User): Promise<string> {
    return Promise.resolve((user as Holder).successor?.refresh ?? refreshTokenPrefix + randomToken(32));
  }

  async saveAuthorizationCode(
    code: Pick<
      OAuth2Server.AuthorizationCode,
      'authorizationCode' | 'expiresAt' | 'redirectUri' | 'scope' | 'codeChallenge' | 'codeChallengeMethod'
    >,
    client: OAuth2Server.Client,
    user: OAuth2Server.User,
  ): Promise<OAuth2Server.AuthorizationCode> {
    if (!code.codeChallenge || code.codeChallengeMethod !== 'S256')
      throw new Error('a code without PKCE must not be issued');
    await this.runtime.db.rows(
      `INSERT INTO oauth_codes (code_hash, grant_id, family_id, client_pk, redirect_uri, code_challenge, expires_at)
       VALUES ($hash, $grantId, $familyId, $clientPk, $redirectUri, $challenge,
         now() + $seconds * interval '1 second')`,
      {
        hash: sha256(code.authorizationCode),
        grantId: (user as Holder).grantId,
        familyId: (user as Holder).familyId,
        clientPk: this.stored.id,
        redirectUri: code.redirectUri,
        challenge: code.codeChallenge,
        seconds: lifetimes.code,
      },
    );
    return { ...code, client, user };
  }

  /** Finds a code. Another client's is as unknown as none at all: it is neither used up nor does it end anything. */
  async getAuthorizationCode(authorizationCode: string): Promise<OAuth2Server.AuthorizationCode | null> {
    const row = await this.runtime.db.row<CodeRow>(
      `SELECT x.redirect_uri, x.code_challenge, x.expires_at, x.used_at, ${grantColumns}
       FROM oauth_codes x ${grantJoins}
       WHERE x.code_hash = $hash AND x.client_pk = $clientPk
       FOR UPDATE OF x`,
      { hash: sha256(authorizationCode), clientPk: this.stored.id },
    );
    if (!row) return null;
    if (row.used_at) {
      await revokeFamily(this.runtime, row.family_id, 'code_reuse');
      return null;
    }
    if (!row.is_live || row.revoked_at || !row.is_active) return null;

    this.refuseOtherResource(row);
    const granted = grantedOf(row);
    const user = this.holder(row, granted, granted);
    return {
      authorizationCode,
      expiresAt: row.expires_at,
      redirectUri: row.redirect_uri,
      scope: granted,
      client: this.client,
      user,
      codeChallenge: row.code_challenge,
      codeChallengeMethod: 'S256',
    };
  }

  /** Uses the code up, also when what follows is refused: a verifier can be guessed once only. */
  async revokeAuthorizationCode(code: OAuth2Server.AuthorizationCode): Promise<boolean> {
    const [used] = await this.runtime.db.models.OauthCode.update(
      { used_at: literal('now()') },
      { where: { code_hash: sha256(code.authorizationCode), used_at: null } },
    );
    if (used > 0 && this.asked.redirectUri !== code.redirectUri)
      throw new OAuth2Server.InvalidGrantError(
        'Invalid grant: redirect_uri is not the one of the authorization request',
      );
    return used > 0;
  }

  async getRefreshToken(refreshToken: string): Promise<OAuth2Server.RefreshToken | null> {
    const grace = this.runtime.config.refreshReuseGraceSeconds;
    const row = await this.runtime.db.row<RefreshRow>(
      `SELECT x.id, x.expires_at, x.rotated_at,
         coalesce(x.rotated_at > clock_timestamp() - $grace * interval '1 second', false) AS in_grace, ${grantColumns}
       FROM oauth_refresh_tokens x ${grantJoins}
       WHERE x.token_hash = $hash AND g.client_pk = $clientPk
       FOR UPDATE OF x`,
      { hash: sha256(refreshToken), clientPk: this.stored.id, grace },
    );
    if (!row) return null;
    // A token that was replaced is out there: the connection ends, unless a client's own calls may have crossed.
    if (row.rotated_at && !row.in_grace) {
      await revokeGrant(this.runtime, this.stored, row.grant_id, 'refresh_token_reuse');
      return null;
    }
    if (!row.is_live || row.revoked_at || !row.is_active) return null;
    const successor = await this.successorFor(refreshToken, row.rotated_at !== null);
    if (!successor) return null;

    this.refuseOtherResource(row);
    const granted = grantedOf(row);
    if (this.asked.scopes && !this.asked.scopes.every((scope) => granted.includes(scope)))
      throw new OAuth2Server.InvalidScopeError('Invalid scope: more than was granted');
    const user = this.holder(row, granted, this.asked.scopes ?? granted);
    return {
      refreshToken,
      refreshTokenExpiresAt: row.expires_at,
      scope: granted,
      client: this.client,
      user: { ...user, refreshTokenId: row.id, successor, isRepeat: row.rotated_at !== null },
    };
  }

  /**
   * Returns what replaces the refresh token; null where it was replaced before (`isRepeat`) and its replacement has
   * been used since, or is not known.
   */
  private async successorFor(refreshToken: string, isRepeat: boolean): Promise<Successor | null> {
    const { config, db } = this.runtime;
    // Another process may have issued the pair under a key that is being replaced.
    const candidates = config.secretsKeys.map((key) => successorOf(key, refreshToken));
    if (!isRepeat) return candidates[0] ?? null;
    for (const candidate of candidates)
      if (
        await db.models.OauthRefreshToken.count({ where: { token_hash: sha256(candidate.refresh), rotated_at: null } })
      )
        return candidate;
    return null;
  }

  /** Ends the refresh token and the access token that came with it (contract 11.4). */
  async revokeToken(token: OAuth2Server.RefreshToken): Promise<boolean> {
    const { refreshTokenId: id, isRepeat } = token.user as Holder;
    if (id === undefined) return false;
    if (isRepeat) return true;
    const { OauthAccessToken, OauthRefreshToken } = this.runtime.db.models;
    const [rotated] = await OauthRefreshToken.update(
      { rotated_at: literal('clock_timestamp()') },
      { where: { id, rotated_at: null } },
    );
    if (rotated === 0) return false;
    await OauthAccessToken.update(
      { revoked_at: literal('now()') },
      { where: { refresh_token_id: id, revoked_at: null } },
    );
    return true;
  }

  async saveToken(
    token: OAuth2Server.Token,
    client: OAuth2Server.Client,
    user: OAuth2Server.User,
  ): Promise<OAuth2Server.Token> {
    const { grantId, familyId, held, isRepeat } = user as Holder;
    if (isRepeat) return { ...token, ...(await this.issued(token.accessToken)), client, user };
    // On a refresh the library does not check the scopes again.
    const scope = (token.scope ?? []).filter((name) => held.includes(name));
    if (!token.refreshToken) throw new Error('every answer carries a refresh token');
    await this.runtime.db.rows(
      `WITH refresh AS (
         INSERT INTO oauth_refresh_tokens (token_hash, grant_id, family_id, expires_at)
         VALUES ($refreshHash, $grantId, $familyId, now() + $refreshSeconds * interval '1 second')
         RETURNING id, grant_id, family_id
       )
       INSERT INTO oauth_access_tokens (token_hash, grant_id, family_id, refresh_token_id, scopes, expires_at)
       SELECT $accessHash, grant_id, family_id, id, $scopes::text[], now() + $accessSeconds * interval '1 second'
       FROM refresh`,
      {
        refreshHash: sha256(token.refreshToken),
        accessHash: sha256(token.accessToken),
        grantId,
        familyId,
        scopes: scope,
        refreshSeconds: lifetimes.refreshToken,
        accessSeconds: lifetimes.accessToken,
      },
    );
    return { ...token, scope, client, user };
  }

  /** Returns the scopes and the end of an access token that was issued before. */
  private async issued(accessToken: string): Promise<{ scope: string[]; accessTokenExpiresAt: Date }> {
    const row = await this.runtime.db.row<{ scopes: string[]; seconds: number }>(
      `SELECT scopes, extract(epoch FROM expires_at - now())::float AS seconds
       FROM oauth_access_tokens WHERE token_hash = $hash`,
      { hash: sha256(accessToken) },
    );
    if (!row) throw new OAuth2Server.InvalidGrantError('Invalid grant: refresh token is invalid');
    return { scope: row.scopes, accessTokenExpiresAt: new Date(Date.now() + row.seconds * 1_000) };
  }

  /** Is part of the library's interface and never asked: `/mcp` has its own check of bearer tokens. */
  getAccessToken(): Promise<null> {
    return Promise.resolve(null);
  }

  private refuseOtherResource(row: GrantColumns): void {
    if (this.asked.resource !== null && this.asked.resource !== row.resource)
      throw new OAuth2Server.OAuthError('The grant is for another resource.', { code: 400, name: 'invalid_target' });
  }

  private holder(row: GrantColumns, granted: readonly string[], wanted: readonly string[]): Holder {
    const member = memberScopes(row.role, row.permissions);
    const held = granted.filter(
      (scope) => isScope(scope) && consentableScopes.includes(scope) && member.includes(scope),
    );
    if (!wanted.some((scope) => held.includes(scope)))
      throw new OAuth2Server.InvalidGrantError(
        'Invalid grant: the member does not hold the granted permissions any more',
      );
    return { grantId: row.grant_id, familyId: row.family_id, held };
  }
}

/** Who a code or token is for, as the library carries it from one step to the next. */
export interface Holder {
  readonly grantId: number;
  readonly familyId: number;
  readonly held: readonly string[];
  readonly refreshTokenId?: number;
  /** What replaces the refresh token that was presented. */
  readonly successor?: Successor;
  /** Whether the refresh token was replaced a moment ago: the same tokens are given again. */
  readonly isRepeat?: boolean;
}
