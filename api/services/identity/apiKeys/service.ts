import { literal, Transaction } from 'sequelize';
import { cut } from '../../../core/text/cut';
import type { ApiKeyRow } from '../../../../models';
import { isScope, keyScopes, memberScopes, type Scope, type Autonomy } from '../../../core/http/access';
import { dueNow } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { AppError, invalidField, invalidPk, notFound } from '../../../core/http/errors';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { randomToken, sha256 } from '../../../core/secrets';
import { refuseAboveCeiling } from '../workspaces/objectLimits';
import { keyPrefix } from './authenticate';
import { reason } from '../reasons';

/** A key without the hash of its secret. */
export type ApiKeyRecord = Omit<ApiKeyRow, 'secret_hash'>;

interface ApiKeyInput {
  readonly memberId: number;
  readonly name: string;
  /** Names of scopes; `all` means every scope of keys that the member holds. */
  readonly scopes: readonly string[];
  readonly autonomy?: Autonomy | undefined;
  readonly expiresAt?: Date | undefined;
  /** Addresses and networks that may use it; none: all. */
  readonly allowedAddresses?: readonly string[] | undefined;
  /** Whether it reads what members write for each other. */
  readonly notes?: boolean | undefined;
}

const attributes = { exclude: ['secret_hash'] };
const apiKeys = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.ApiKey);

/** Makes a key for a member; its text is in the answer and nowhere else. */
export async function createKey(ctx: Ctx, input: ApiKeyInput): Promise<{ key: ApiKeyRecord; apiKey: string }> {
  const name = input.name.trim();
  if (name === '') throw invalidField('name', reason('blank'));
  if ([...name].length > 255) throw invalidField('name', reason('tooLong', { max: 255 }));
  if (input.expiresAt && input.expiresAt <= (await dueNow(ctx.runtime)))
    throw invalidField('expires_at', reason('past'));

  const { db } = ctx.runtime;
  return db.transaction(async () => {
    await refuseAboveCeiling(ctx, 'API keys', () => apiKeys(ctx).count({ where: { revoked_at: null } }));
    // Locked, so that a permission taken away at this moment is either seen here or sees this key.
    const member = await of(ctx, db.models.Member).findOne({
      attributes: ['role', 'permissions', 'is_active'],
      where: { id: input.memberId },
      lock: Transaction.LOCK.SHARE,
      raw: true,
    });
    if (!member) throw invalidPk('member', input.memberId);
    if (!member.is_active) throw invalidField('member', reason('memberInactive'));
    const scopes = grantableScopes(input.scopes, memberScopes(member.role, member.permissions));

    // The id comes first: the text of the key begins with it.
    const next = await db.row<{ id: number }>(`SELECT nextval(pg_get_serial_sequence('api_keys', 'id'))::bigint AS id`);
    if (!next) throw new Error('no id for the key');
    const secret = randomToken(32);
    const apiKey = `${keyPrefix}${next.id}_${secret}`;
    const key = await db.models.ApiKey.create({
      id: next.id,
      workspace_id: ctx.workspaceId,
      member_id: input.memberId,
      name,
      prefix: `${keyPrefix}${next.id}_${secret.slice(0, 4)}`,
      secret_hash: sha256(apiKey),
      scopes,
      autonomy: input.autonomy ?? 'autonomous',
      last_used_at: null,
      expires_at: input.expiresAt ?? null,
      revoked_at: null,
      allowed_addresses: [...new Set(input.allowedAddresses)],
      notes: input.notes ?? false,
    });
    return { key: key.get({ plain: true }), apiKey };
  });
}

/** Permissions within the platform that no endpoint checks: a key may name them, and gains nothing by it. */
const internalPermission = /^(billing|team|account[ _]connection|contact[ _]notes)(\.[a-z_]+)?$/;

/** Returns what was asked for and has no effect on a key. */
export function ineffectiveScopes(asked: readonly string[], granted: readonly string[]): string[] {
  return [...new Set(asked)].filter((scope) => scope !== 'all' && !granted.includes(scope));
}

/**
 * Returns the scopes that a key gets: each must exist and be held by the member (contract 12.1). Permissions that are
 * for the dashboard only have no effect on a key (contract 12.1), so they are not stored with it.
 */
export function grantableScopes(wanted: readonly string[], held: readonly Scope[]): Scope[] {
  if (wanted.length === 0) throw invalidField('scopes', reason('emptyList'));
  const granted = new Set<Scope>();
  for (const name of wanted) {
    if (name === 'all') {
      for (const scope of held) granted.add(scope);
      continue;
    }
    if (internalPermission.test(name) && !(isScope(name) && keyScopes.includes(name))) continue;
    if (!isScope(name))
      throw invalidField('scopes', reason('noScope', { name: cut(name, 100), known: keyScopes.join(', ') }));
    if (!held.includes(name)) throw new AppError('forbidden', reason('keyBeyond', { name }), { missingScope: name });
    granted.add(name);
  }
  return keyScopes.filter((scope) => granted.has(scope));
}

/** Makes a key useless from its next request on; false where it was revoked before. */
export async function endKey(ctx: Ctx, keyId: number): Promise<boolean> {
  const [ended] = await apiKeys(ctx).update(
    { revoked_at: literal('now()') },
    { where: { id: keyId, revoked_at: null } },
  );
  return ended > 0;
}

/** Revokes all keys of a member; returns the ids of those that were not. */
export async function endKeysOf(ctx: Ctx, memberId: number): Promise<number[]> {
  const [, ended] = await apiKeys(ctx).update(
    { revoked_at: literal('now()') },
    { where: { member_id: memberId, revoked_at: null }, returning: true },
  );
  return ended.map(({ id }) => id);
}

/** Returns one key of the workspace. Throws 404. */
export async function getKey(ctx: Ctx, keyId: number): Promise<ApiKeyRecord> {
  const row = await apiKeys(ctx).findOne({ attributes, where: { id: keyId }, raw: true });
  if (!row) throw notFound();
  return row;
}

/** Returns all keys of the workspace, the newest first, revoked ones included. */
export async function listKeys(ctx: Ctx): Promise<ApiKeyRecord[]> {
  return apiKeys(ctx).findAll({ attributes, order: [['id', 'DESC']], raw: true });
}

/** Returns the workspace of a key, whichever it is: for the provisioning CLI, which is given the id alone. */
export async function workspaceOfKeyAnywhere(runtime: Runtime, keyId: number): Promise<number> {
  const row = await runtime.db.models.ApiKey.findByPk(keyId, { attributes: ['workspace_id'], raw: true });
  if (!row) throw notFound(`API key ${keyId} does not exist.`);
  return row.workspace_id;
}
