import type { Ctx } from '../../../core/context';
import { isScope, memberScopes, type Autonomy, type Scope } from '../../../core/http/access';
import { AppError } from '../../../core/http/errors';
import type { Runtime } from '../../../core/runtime';
import { sha256 } from '../../../core/secrets';
import { refuseElsewhere } from './addresses';
import { reason } from '../reasons';

/** Keys begin like this, so that secret scanners and people recognise them. */
export const keyPrefix = 'hd_live_';

/** A credential is read anew on every request; its time of use is written at most once a minute. */
const lastUsedEveryMs = 60_000;

/** The caller of a request, and what they may do now. */
export interface Credential {
  /** `oauth`: an agent's connection; `id` is its grant. */
  readonly kind: 'api_key' | 'session' | 'oauth';
  readonly id: number;
  /** Name of the key or of the connected client; empty for a session. */
  readonly name: string;
  /** Key of the rate bucket, shared by REST and `/mcp` (contract 3). */
  readonly bucket: string;
  readonly workspaceId: number;
  readonly memberId: number;
  readonly scopes: ReadonlySet<Scope>;
  readonly autonomy: Autonomy;
  /** The trial is over and there is no plan (contract 12.3). */
  readonly trialExpired: boolean;
  readonly ticketing: boolean;
  /** Of the workspace. */
  readonly timezone: string;
  /** API keys only: made to read notes. */
  readonly notes?: boolean;
  /** Sessions only: what forms must send back. */
  readonly csrfSecret?: string;
  /** Sessions only: when the member last showed who they are. */
  readonly verifiedAt?: Date;
}

/** Columns of a member and workspace that every kind of credential reads. */
export interface MemberColumns {
  id: number;
  workspace_id: number;
  member_id: number;
  role: string;
  permissions: string[];
  plan: string | null;
  trial_ends_at: Date | null;
  ticketing: boolean;
  timezone: string;
}

export const memberJoin =
  'JOIN members m ON m.id = x.member_id AND m.is_active JOIN workspaces w ON w.id = m.workspace_id';
export const memberColumns =
  'm.workspace_id, m.id AS member_id, m.role, m.permissions, w.plan, w.trial_ends_at, w.ticketing, w.timezone';

/**
 * Returns the credential of an API key, or null when it is unknown, revoked or its member inactive. Throws 401 for an
 * expired key and 403 for one that may not be used from this address, because its holder may know why. Runs on every
 * request: one prepared statement reads key, member and workspace.
 */
export async function authenticateKey(
  runtime: Runtime,
  presented: string,
  address: string,
): Promise<Credential | null> {
  if (!presented.startsWith(keyPrefix) || presented.length > 200) return null;
  const row = await keyRow(runtime, 'x.secret_hash = $hash', { hash: sha256(presented) });
  if (!row) return null;
  if (row.is_over) throw new AppError('unauthorized', 'This API key has expired.');
  refuseElsewhere('API key', row.allowed_addresses, address);
  if (!row.last_used_at || Date.now() - row.last_used_at.getTime() > lastUsedEveryMs) {
    noteUse(runtime, 'api_keys', row.id);
  }
  return keyCredential(row);
}

/**
 * Returns what the key with this id may do now, or null when it would be refused: approvals ask when they are decided.
 */
export async function credentialOfKey(runtime: Runtime, keyId: number): Promise<Credential | null> {
  const row = await keyRow(runtime, 'x.id = $keyId', { keyId });
  return row && !row.is_over ? keyCredential(row) : null;
}

type KeyRow = MemberColumns & {
  name: string;
  scopes: string[];
  autonomy: Credential['autonomy'];
  last_used_at: Date | null;
  allowed_addresses: string[];
  notes: boolean;
  is_over: boolean;
};

function keyRow(runtime: Runtime, condition: string, bind: Record<string, unknown>): Promise<KeyRow | null> {
  return runtime.db.row<KeyRow>(
    `SELECT x.id, x.name, x.scopes, x.autonomy, x.last_used_at, x.allowed_addresses, x.notes,
       coalesce(x.expires_at <= now(), false) AS is_over, ${memberColumns}
     FROM api_keys x ${memberJoin}
     WHERE ${condition} AND x.revoked_at IS NULL`,
    bind,
  );
}

function keyCredential(row: KeyRow): Credential {
  return {
    ...commonCredential(row),
    kind: 'api_key',
    name: row.name,
    bucket: `key:${row.id}`,
    scopes: stillHeld(row, row.scopes),
    autonomy: row.autonomy,
    notes: row.notes,
  };
}

/** Returns what is left of granted scopes: what the member has lost, the credential has lost with it (contract 12). */
export function stillHeld(
  member: Pick<MemberColumns, 'role' | 'permissions'>,
  granted: readonly string[],
): ReadonlySet<Scope> {
  const held = memberScopes(member.role, member.permissions);
  return new Set(granted.filter(isScope).filter((scope) => held.includes(scope)));
}

/** SQL: the session `x` can be used. It ends after a week, and after a day without use. */
export const usableSession = `x.expires_at > now() AND x.last_used_at > now() - interval '24 hours'
  AND x.factor <> 'awaited'`;

/** Returns the credential of a dashboard session, or null when it is unknown or over; one statement, as for a key. */
export async function authenticateSession(runtime: Runtime, token: string): Promise<Credential | null> {
  if (token === '' || token.length > 200) return null;
  const row = await runtime.db.row<MemberColumns & { csrf_secret: string; last_used_at: Date; verified_at: Date }>(
    `SELECT x.id, x.csrf_secret, x.last_used_at, x.verified_at, ${memberColumns}
     FROM sessions x ${memberJoin}
     WHERE x.token_hash = $hash AND ${usableSession} AND (x.factor <> 'none' OR x.is_sso OR NOT w.require_factor)`,
    { hash: sha256(token) },
  );
  if (!row) return null;
  if (Date.now() - row.last_used_at.getTime() > lastUsedEveryMs) {
    noteUse(runtime, 'sessions', row.id);
  }
  return {
    ...commonCredential(row),
    kind: 'session',
    name: '',
    // Of the member, not of the session: signing in again gives no further share.
    bucket: `member:${row.member_id}`,
    scopes: new Set(memberScopes(row.role, row.permissions)),
    autonomy: 'autonomous',
    csrfSecret: row.csrf_secret,
    verifiedAt: row.verified_at,
  };
}

/** How long a member who has just proved who they are is not asked again. */
const recentMs = 10 * 60_000;

/** Returns whether the member of a session has just shown who they are; keys and agents are not asked. */
export function isRecent({ verifiedAt }: Pick<Credential, 'verifiedAt'>): boolean {
  return !verifiedAt || Date.now() - verifiedAt.getTime() <= recentMs;
}

/** Throws the 403 of a session whose member should show again who they are. */
export function requireRecent(credential: Pick<Credential, 'verifiedAt'>): void {
  if (isRecent(credential)) return;
  throw new AppError('forbidden', reason('showAgain'), {
    publicCode: 'reauthentication_required',
  });
}

/** Writes the time of use, at most twice a minute however many requests ask at once; no request waits for it. */
export function noteUse(runtime: Runtime, table: 'api_keys' | 'sessions' | 'oauth_grants', id: number): void {
  runtime.db
    .rows(
      `UPDATE ${table} SET last_used_at = now()
       WHERE id = $id AND (last_used_at IS NULL OR last_used_at < now() - interval '30 seconds')`,
      { id },
    )
    .catch((error: unknown) => {
      runtime.logger.debug({ event: 'credential.use_not_noted', table, id, error }, 'time of use not written');
    });
}

/** Returns what every kind of credential takes from its member and workspace. */
export function commonCredential(
  row: MemberColumns,
): Pick<Credential, 'id' | 'workspaceId' | 'memberId' | 'trialExpired' | 'ticketing' | 'timezone'> {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    memberId: row.member_id,
    trialExpired: !row.plan && row.trial_ends_at !== null && row.trial_ends_at.getTime() <= Date.now(),
    ticketing: row.ticketing,
    timezone: row.timezone,
  };
}

/** Returns the context of a request made with this credential. */
export function credentialCtx(runtime: Runtime, credential: Credential, requestId: string, address = ''): Ctx {
  return {
    runtime,
    workspaceId: credential.workspaceId,
    actor: {
      type: credential.kind === 'session' ? 'member' : credential.kind === 'oauth' ? 'agent' : 'api_key',
      memberId: credential.memberId,
      apiKeyId: credential.kind === 'api_key' ? credential.id : null,
      ...(credential.kind === 'oauth' ? { grantId: credential.id } : {}),
      ...(credential.kind === 'session' ? { sessionId: credential.id, verifiedAt: credential.verifiedAt } : {}),
    },
    scopes: credential.scopes,
    autonomy: credential.autonomy,
    requestId,
    address,
    logger: runtime.logger.child({ requestId, workspaceId: credential.workspaceId }),
  };
}
