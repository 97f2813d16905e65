import type { Ctx } from '../../core/context';
import { isScope, memberScopes, type Scope } from '../../core/access';
import type { Runtime } from '../../core/runtime';
import { sha256 } from '../../core/secrets';

/** Keys begin like this, so that secret scanners and people recognise them. */
export const keyPrefix = 'hd_live_';

/** A credential is read anew on every request; its time of use is written at most once a minute. */
const lastUsedEveryMs = 60_000;

/** Who a request comes from, and what it may do now. */
export interface Credential {
  readonly kind: 'api_key' | 'session';
  readonly id: number;
  /** Key of the rate bucket, shared by REST and `/mcp` (contract C3). */
  readonly bucket: string;
  readonly workspaceId: number;
  readonly memberId: number;
  readonly scopes: ReadonlySet<Scope>;
  readonly autonomy: 'draft' | 'approval' | 'autonomous';
  /** The trial is over and there is no plan (specification 5.4). */
  readonly trialExpired: boolean;
  readonly ticketing: boolean;
  /** Sessions only: what forms must send back. */
  readonly csrfSecret?: string;
}

interface MemberColumns {
  id: number;
  workspace_id: number;
  member_id: number;
  role: string;
  permissions: string[];
  plan: string | null;
  trial_ends_at: Date | null;
  ticketing: boolean;
}

const memberJoin = 'JOIN members m ON m.id = x.member_id AND m.is_active JOIN workspaces w ON w.id = m.workspace_id';
const memberColumns = 'm.workspace_id, m.id AS member_id, m.role, m.permissions, w.plan, w.trial_ends_at, w.ticketing';

/** The credential of an API key, or null when it is unknown, revoked, expired or its member inactive. */
export async function authenticateKey(runtime: Runtime, presented: string): Promise<Credential | null> {
  if (!presented.startsWith(keyPrefix) || presented.length > 200) return null;
  const row = await runtime.db.row<MemberColumns & { scopes: string[]; autonomy: Credential['autonomy']; last_used_at: Date | null }>(
    `SELECT x.id, x.scopes, x.autonomy, x.last_used_at, ${memberColumns} FROM api_keys x ${memberJoin}
     WHERE x.secret_hash = $hash AND x.revoked_at IS NULL AND (x.expires_at IS NULL OR x.expires_at > now())`,
    { hash: sha256(presented) },
  );
  if (!row) return null;
  if (!row.last_used_at || Date.now() - row.last_used_at.getTime() > lastUsedEveryMs) {
    runtime.db
      .rows(`UPDATE api_keys SET last_used_at = now() WHERE id = $id AND (last_used_at IS NULL OR last_used_at < now() - interval '30 seconds')`, { id: row.id })
      .catch((error: unknown) => runtime.logger.debug({ error }, 'time of use not written'));
  }
  // What the member lost since the key was made, the key has lost with it (contract C12).
  const held = memberScopes(row.role, row.permissions);
  const scopes = new Set(row.scopes.filter(isScope).filter((scope) => held.includes(scope)));
  return { ...common(row), kind: 'api_key', bucket: `key:${row.id}`, scopes, autonomy: row.autonomy };
}

/** The credential of a dashboard session, or null when it is unknown or over. */
export async function authenticateSession(runtime: Runtime, token: string): Promise<Credential | null> {
  if (token === '' || token.length > 200) return null;
  const row = await runtime.db.row<MemberColumns & { csrf_secret: string }>(
    `SELECT x.id, x.csrf_secret, ${memberColumns} FROM sessions x ${memberJoin} WHERE x.token_hash = $hash AND x.expires_at > now()`,
    { hash: sha256(token) },
  );
  if (!row) return null;
  return { ...common(row), kind: 'session', bucket: `session:${row.id}`, scopes: new Set(memberScopes(row.role, row.permissions)), autonomy: 'autonomous', csrfSecret: row.csrf_secret };
}

function common(row: MemberColumns): Pick<Credential, 'id' | 'workspaceId' | 'memberId' | 'trialExpired' | 'ticketing'> {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    memberId: row.member_id,
    trialExpired: !row.plan && row.trial_ends_at !== null && row.trial_ends_at.getTime() <= Date.now(),
    ticketing: row.ticketing,
  };
}

/** The context of a request made with this credential. */
export function credentialCtx(runtime: Runtime, credential: Credential, requestId: string): Ctx {
  return {
    runtime,
    workspaceId: credential.workspaceId,
    actor: {
      type: credential.kind === 'session' ? 'member' : 'api_key',
      memberId: credential.memberId,
      apiKeyId: credential.kind === 'api_key' ? credential.id : null,
    },
    scopes: credential.scopes,
    requestId,
    logger: runtime.logger.child({ requestId, workspaceId: credential.workspaceId }),
  };
}
