import { consentableScopes } from '../../../core/http/access';
import type { Runtime } from '../../../core/runtime';
import { sha256 } from '../../../core/secrets';
import { systemCtx } from '../../../core/context';
import { recordSecurity } from '../securityLog/service';
import { refuseElsewhere } from '../apiKeys/addresses';
import {
  commonCredential,
  memberColumns,
  memberJoin,
  noteUse,
  stillHeld,
  type Credential,
  type MemberColumns,
} from '../apiKeys/authenticate';

/** The prefix of every access token: it distinguishes them from API keys, and secret scanners look for it. */
export const accessTokenPrefix = 'mcp_at_';

/**
 * SQL: whether the token family `f` of a connection (an alias) has not expired. A consent lasts 180 days, and ends
 * after 90 days without a call, however often its tokens are refreshed (contract 11.4).
 */
export const unexpiredFamilySql = (grant: string): string => `f.created_at > now() - interval '180 days'
  AND greatest(${grant}.last_used_at, f.created_at) > now() - interval '90 days'`;

/**
 * SQL: whether a connection (an alias) has tokens that can be used: its codes were redeemed, its last token has not
 * run out, and none of them was revoked.
 */
export const redeemedSql = (grant: string): string => `EXISTS (
    SELECT 1 FROM oauth_families f
    WHERE f.grant_id = ${grant}.id AND f.revoked_at IS NULL AND (
      ${unexpiredFamilySql(grant)} AND EXISTS (SELECT 1 FROM oauth_refresh_tokens t
                                   WHERE t.family_id = f.id AND t.rotated_at IS NULL AND t.expires_at > now())
      OR EXISTS (SELECT 1 FROM oauth_access_tokens t
                 WHERE t.family_id = f.id AND t.revoked_at IS NULL AND t.expires_at > now())))`;

type GrantRow = MemberColumns & { scopes: string[]; autonomy: Credential['autonomy']; client_name: string };

const columns = `x.id, x.scopes, x.autonomy, c.name AS client_name, ${memberColumns}`;
/** Joins that keep a grant only while its client is enabled and its member is active. */
const activeJoins = `JOIN oauth_clients c ON c.id = x.client_pk AND c.disabled_at IS NULL ${memberJoin}`;

/**
 * Returns the connection of an OAuth access token, or null when the token, its grant, its client or its member is not
 * valid any more, or it was issued for another resource (RFC 8707). It is read on every call, so disconnecting takes
 * effect at once. Throws 403 for a network that it is not bound to; the first call from a new one is told.
 */
export async function authenticateAccessToken(
  runtime: Runtime,
  token: string,
  from: { readonly ip: string; readonly address: string; readonly network: string },
): Promise<Credential | null> {
  if (!token.startsWith(accessTokenPrefix) || token.length > 200) return null;
  const row = await runtime.db.row<
    GrantRow & { token_scopes: string[]; is_stale: boolean; allowed_addresses: string[]; networks: string[] }
  >(
    `SELECT ${columns}, t.scopes AS token_scopes, x.allowed_addresses, x.networks,
       x.last_used_at IS NULL OR x.last_used_at < now() - interval '1 minute' AS is_stale
     FROM oauth_access_tokens t JOIN oauth_families f ON f.id = t.family_id AND f.revoked_at IS NULL
       JOIN oauth_grants x ON x.id = f.grant_id ${activeJoins}
     WHERE t.token_hash = $hash AND t.revoked_at IS NULL AND t.expires_at > now()
       AND x.revoked_at IS NULL AND x.resource = $resource`,
    { hash: sha256(token), resource: resourceOf(runtime) },
  );
  if (!row) return null;
  refuseElsewhere('connection', row.allowed_addresses, from.ip);
  if (!row.networks.includes(from.network)) await noteNetwork(runtime, row, from);
  if (row.is_stale) noteUse(runtime, 'oauth_grants', row.id);
  return grantCredential({ ...row, scopes: row.scopes.filter((scope) => row.token_scopes.includes(scope)) });
}

/** The newest networks of a connection that are known again. */
const maxNetworks = 50;

/** Notes a network that a connection is used from, and tells it where it is not the first. */
async function noteNetwork(
  runtime: Runtime,
  { id, workspace_id: workspaceId, member_id: memberId }: GrantRow,
  { address, network }: { readonly address: string; readonly network: string },
): Promise<void> {
  // SQL: of two calls at the same time one finds it new.
  const row = await runtime.db.row<{ count: number }>(
    `UPDATE oauth_grants
     SET networks = (networks || $network::text)[greatest(1, cardinality(networks) + 2 - ${maxNetworks}):]
     WHERE workspace_id = $workspaceId AND id = $id AND NOT $network::text = ANY (networks)
     RETURNING cardinality(networks) AS count`,
    { workspaceId, id, network },
  );
  if (!row || row.count < 2) return;
  const actor = { type: 'agent' as const, memberId, apiKeyId: null, grantId: id };
  const ctx = { ...systemCtx(runtime, workspaceId, 'new-network', actor), address };
  await recordSecurity(ctx, { action: 'connectedAgents.newNetwork', subjectId: id });
}

/** Returns the present credential of the connection with this grant, or null when a call with it would be refused. */
export async function credentialOfGrant(runtime: Runtime, grantId: number): Promise<Credential | null> {
  const row = await runtime.db.row<GrantRow>(
    `SELECT ${columns} FROM oauth_grants x ${activeJoins}
     WHERE x.id = $grantId AND x.revoked_at IS NULL AND ${redeemedSql('x')}`,
    { grantId },
  );
  return row && grantCredential(row);
}

/** Returns the one resource for which access tokens are issued (RFC 8707). */
export function resourceOf(runtime: Runtime): string {
  return `${runtime.config.baseUrl}/mcp`;
}

function grantCredential(row: GrantRow): Credential {
  const held = stillHeld(row, row.scopes);
  return {
    ...commonCredential(row),
    kind: 'oauth',
    name: row.client_name,
    bucket: `grant:${row.id}`,
    scopes: new Set(consentableScopes.filter((scope) => held.has(scope))),
    autonomy: row.autonomy,
  };
}
