import { isScope, keyScopes, memberScopes, type Scope } from '../../../core/access';
import type { Autonomy } from '../../../core/autonomy';
import type { Ctx } from '../../../core/context';
import { AppError, invalidField, notFound } from '../../../core/errors';
import type { Runtime } from '../../../core/runtime';
import { randomToken, sha256 } from '../../../core/secrets';
import { keyPrefix } from './authenticate';

export interface ApiKeyRecord {
  readonly id: number;
  readonly workspace_id: number;
  readonly member_id: number;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly autonomy: Autonomy;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

export interface ApiKeyInput {
  readonly memberId: number;
  readonly name: string;
  /** Names of scopes; `all` stands for every key scope that the member holds. */
  readonly scopes: readonly string[];
  readonly autonomy?: Autonomy;
  readonly expiresAt?: Date;
}

const columns =
  'id, workspace_id, member_id, name, prefix, scopes, autonomy, created_at, last_used_at, expires_at, revoked_at';

/** Makes a key for a member; its text is in the answer and nowhere else. */
export async function createKey(ctx: Ctx, input: ApiKeyInput): Promise<{ key: ApiKeyRecord; apiKey: string }> {
  const name = input.name.trim();
  if (name === '') throw invalidField('name', 'This field may not be blank.');
  if ([...name].length > 255) throw invalidField('name', 'Ensure this field has no more than 255 characters.');
  if (input.expiresAt && input.expiresAt <= ctx.runtime.clock.now())
    throw invalidField('expires_at', 'A future datetime is required.');
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    // Locked, so that a permission taken away at this moment is either seen here or sees this key.
    const member = await db.row<{ role: string; permissions: string[]; is_active: boolean }>(
      'SELECT role, permissions, is_active FROM members WHERE workspace_id = $workspaceId AND id = $memberId FOR SHARE',
      { workspaceId: ctx.workspaceId, memberId: input.memberId },
    );
    if (!member) throw invalidField('member', `Invalid pk "${input.memberId}" - object does not exist.`);
    if (!member.is_active) throw invalidField('member', 'The member is not active.');
    const scopes = grantableScopes(input.scopes, memberScopes(member.role, member.permissions));
    const next = await db.row<{ id: number }>(`SELECT nextval(pg_get_serial_sequence('api_keys', 'id'))::bigint AS id`);
    if (!next) throw new Error('no id for the key');
    const secret = randomToken(32);
    const apiKey = `${keyPrefix}${next.id}_${secret}`;
    const key = await db.row<ApiKeyRecord>(
      `INSERT INTO api_keys (id, workspace_id, member_id, name, prefix, secret_hash, scopes, autonomy, expires_at)
       VALUES ($id, $workspaceId, $memberId, $name, $prefix, $hash, $scopes::text[], $autonomy, $expiresAt) RETURNING ${columns}`,
      {
        id: next.id,
        workspaceId: ctx.workspaceId,
        memberId: input.memberId,
        name,
        prefix: `${keyPrefix}${next.id}_${secret.slice(0, 4)}`,
        hash: sha256(apiKey),
        scopes,
        autonomy: input.autonomy ?? 'autonomous',
        expiresAt: input.expiresAt ?? null,
      },
    );
    if (!key) throw new Error('the key was not stored');
    return { key, apiKey };
  });
}

/** Permissions within the platform that no endpoint checks: a key may name them, and gains nothing by it. */
const internalPermission = /^(billing|team|account[ _]connection|contact[ _]notes)(\.[a-z_]+)?$/;

/** What was asked for and has no effect on a key. */
export function ineffectiveScopes(asked: readonly string[], granted: readonly string[]): string[] {
  return [...new Set(asked)].filter((scope) => scope !== 'all' && !granted.includes(scope));
}

/**
 * The scopes that a key gets: each must exist and be held by the member (contract 12.1). Permissions that are for
 * the dashboard only have no effect on a key (contract 12.1), so they are not stored with it.
 */
export function grantableScopes(wanted: readonly string[], held: readonly Scope[]): Scope[] {
  if (wanted.length === 0) throw invalidField('scopes', 'This list may not be empty.');
  const granted = new Set<Scope>();
  for (const name of wanted) {
    if (name === 'all') {
      for (const scope of held) granted.add(scope);
      continue;
    }
    if (!isScope(name) && internalPermission.test(name)) continue;
    if (!isScope(name))
      throw invalidField(
        'scopes',
        `"${name.slice(0, 100)}" is not a valid choice. The scopes are ${keyScopes.join(', ')}.`,
      );
    if (!held.includes(name))
      throw new AppError(
        'forbidden',
        `The member does not hold the permission ${name}, so no key of theirs can carry it.`,
        { missingScope: name },
      );
    granted.add(name);
  }
  return keyScopes.filter((scope) => granted.has(scope));
}

/** Makes a key useless from its next request on; revoking again changes nothing. */
export async function revokeKey(ctx: Ctx, keyId: number): Promise<ApiKeyRecord> {
  const row = await ctx.runtime.db.row<ApiKeyRecord>(
    `UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE workspace_id = $workspaceId AND id = $keyId RETURNING ${columns}`,
    { workspaceId: ctx.workspaceId, keyId },
  );
  if (!row) throw notFound();
  return row;
}

/** Revokes all keys of a member; gives how many still worked. */
export async function revokeKeysOf(ctx: Ctx, memberId: number): Promise<number> {
  const rows = await ctx.runtime.db.rows(
    `UPDATE api_keys SET revoked_at = now() WHERE workspace_id = $workspaceId AND member_id = $memberId
       AND revoked_at IS NULL RETURNING id`,
    { workspaceId: ctx.workspaceId, memberId },
  );
  return rows.length;
}

/** One key of the workspace. Throws 404. */
export async function getKey(ctx: Ctx, keyId: number): Promise<ApiKeyRecord> {
  const row = await ctx.runtime.db.row<ApiKeyRecord>(
    `SELECT ${columns} FROM api_keys WHERE workspace_id = $workspaceId AND id = $keyId`,
    { workspaceId: ctx.workspaceId, keyId },
  );
  if (!row) throw notFound();
  return row;
}

/** All keys of the workspace, the newest first, revoked ones included. */
export async function listKeys(ctx: Ctx): Promise<ApiKeyRecord[]> {
  return ctx.runtime.db.rows<ApiKeyRecord>(
    `SELECT ${columns} FROM api_keys WHERE workspace_id = $workspaceId ORDER BY id DESC`,
    { workspaceId: ctx.workspaceId },
  );
}

/** The workspace of a key, whichever it is: for the provisioning CLI, which is given the id alone. */
export async function workspaceOfKeyAnywhere(runtime: Runtime, keyId: number): Promise<number> {
  const row = await runtime.db.row<{ workspace_id: number }>('SELECT workspace_id FROM api_keys WHERE id = $keyId', {
    keyId,
  });
  if (!row) throw notFound(`API key ${keyId} does not exist.`);
  return row.workspace_id;
}
