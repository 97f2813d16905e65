import { literal } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { notFound } from '../../../core/http/errors';
import type { Autonomy } from '../../../core/http/access';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { userJsonSql, type UserJson } from '../members/userColumns';
import { redeemedSql } from './grants';
import type { RevokedReason } from './model';

/** A connected agent: a grant that can still be used. */
export interface ConnectionRow {
  readonly id: number;
  readonly client_id: string;
  readonly client_name: string;
  readonly member: UserJson;
  readonly scopes: string[];
  readonly autonomy: Autonomy;
  readonly allowed_addresses: string[];
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const columns = `g.id, coalesce(c.metadata_url, c.client_id) AS client_id, c.name AS client_name,
  ${userJsonSql('m')} AS member, g.scopes, g.autonomy, g.allowed_addresses,
  g.created_at, g.last_used_at`;
const joins =
  'JOIN oauth_clients c ON c.id = g.client_pk AND c.disabled_at IS NULL JOIN members m ON m.id = g.member_id';
const redeemed = redeemedSql('g');
const usable = `g.revoked_at IS NULL AND ${redeemed}`;

const grants = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.OauthGrant);

/** Returns the connected agents of the workspace, the newest first, with their clients and members in one statement. */
export async function listGrants(ctx: Ctx): Promise<ConnectionRow[]> {
  return ctx.runtime.db.rows<ConnectionRow>(
    `SELECT ${columns}
     FROM oauth_grants g ${joins}
     WHERE g.workspace_id = $workspaceId AND ${usable}
     ORDER BY g.id DESC`,
    { workspaceId: ctx.workspaceId },
  );
}

/** Returns one connected agent. Throws 404. */
export async function findGrant(ctx: Ctx, grantId: number): Promise<ConnectionRow> {
  const row = await ctx.runtime.db.row<ConnectionRow>(
    `SELECT ${columns}
     FROM oauth_grants g ${joins}
     WHERE g.workspace_id = $workspaceId AND g.id = $grantId AND ${usable}`,
    { workspaceId: ctx.workspaceId, grantId },
  );
  if (!row) throw notFound();
  return row;
}

/**
 * Closes connections of all workspaces that no token can use any more, so that a later consent makes a new connection
 * with the default autonomy. A consent can be redeemed for an hour.
 */
export async function closeForgottenAnywhere(runtime: Runtime): Promise<number> {
  const reason: RevokedReason = 'forgotten';
  const rows = await runtime.db.rows(
    `UPDATE oauth_grants g SET revoked_at = now(), revoked_reason = $reason
     WHERE g.revoked_at IS NULL AND NOT ${redeemed} AND NOT EXISTS (
       SELECT 1 FROM oauth_families f WHERE f.grant_id = g.id AND f.created_at > now() - interval '1 hour')
     RETURNING g.id`,
    { reason },
  );
  return rows.length;
}

/** Disconnects an agent: its codes and tokens are refused from the next request on (contract 11.4). */
export async function disconnectGrant(ctx: Ctx, grantId: number): Promise<void> {
  const reason: RevokedReason = 'disconnected';
  const [disconnected] = await grants(ctx).update(
    { revoked_at: literal('now()'), revoked_reason: reason },
    { where: { id: grantId, revoked_at: null } },
  );
  if (disconnected === 0) throw notFound();
}

/**
 * Disconnects every agent that a member connected; returns how many could still act, which only SQL can tell at once.
 */
export async function disconnectGrantsOf(ctx: Ctx, memberId: number): Promise<number> {
  const reason: RevokedReason = 'disconnected';
  const rows = await ctx.runtime.db.rows<{ usable: boolean }>(
    `UPDATE oauth_grants g SET revoked_at = now(), revoked_reason = $reason
     WHERE g.workspace_id = $workspaceId AND g.member_id = $memberId AND g.revoked_at IS NULL
     RETURNING ${redeemed} AS usable`,
    { workspaceId: ctx.workspaceId, memberId, reason },
  );
  return rows.filter((row) => row.usable).length;
}

/** Sets how freely a connected agent sends (contract 11), and from where it may call; decides from its next call on. */
export async function changeGrant(
  ctx: Ctx,
  grantId: number,
  changes: { readonly autonomy?: Autonomy | undefined; readonly allowed_addresses?: string[] | undefined },
): Promise<ConnectionRow> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length > 0) await grants(ctx).update(given, { where: { id: grantId, revoked_at: null } });
  return findGrant(ctx, grantId);
}
