import OAuth2Server from '@node-oauth/oauth2-server';
import { literal } from 'sequelize';
import { consentableScopes, isScope, memberScopes } from '../../../core/http/access';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { randomToken, sha256 } from '../../../core/secrets';
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

  generateAccessToken(): Promise<string> {
    return Promise.resolve(accessTokenPrefix + randomToken(32));
  }

  generateRefreshToken(): Promise<string> {
    return Promise.resolve(refreshTokenPrefix + randomToken(32));
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
         x.rotated_at > clock_timestamp() - $grace * interval '1 second' AS in_grace, ${grantColumns}
       FROM oauth_refresh_tokens x ${grantJoins}
       WHERE x.token_hash = $hash AND g.client_pk = $clientPk
       FOR UPDATE OF x`,
      { hash: sha256(refreshToken), clientPk: this.stored.id, grace },
    );
    if (!row) return null;
    if (row.rotated_at) {
      // A token that was replaced is out there: the whole family ends, unless this may be the same client racing
      // itself.
      if (grace === 0 || !row.in_grace)
        await revokeGrant(this.runtime, this.stored, row.grant_id, 'refresh_token_reuse');
      return null;
    }
    if (!row.is_live || row.revoked_at || !row.is_active) return null;

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
      user: { ...user, refreshTokenId: row.id },
    };
  }

  /** Ends the refresh token and the access token that came with it (contract 11.4). */
  async revokeToken(token: OAuth2Server.RefreshToken): Promise<boolean> {
    const id = (token.user as Holder).refreshTokenId;
    if (id === undefined) return false;
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
    const { grantId, familyId, held } = user as Holder;
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
}
