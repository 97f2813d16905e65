import { systemCtx, type Ctx } from '../../../core/context';
import { AppError, notFound } from '../../../core/errors';
import type { Runtime } from '../../../core/runtime';
import { randomToken, sha256, verifyPassword } from '../../../core/secrets';
import { usableSession } from '../apiKeys/authenticate';
import { getWorkspace, type WorkspaceRecord } from '../workspaces/service';
import { countAttempt } from './attempts';
import { getMember, type MemberRecord } from './service';

/** A sign-in lasts a week. */
export const sessionSeconds = 7 * 86_400;

export interface SignIn {
  readonly email: string;
  readonly password: string;
  /** The network that the attempt comes from: failures are counted for it, and for the account. */
  readonly network: string;
  /** What the browser calls itself; shown to the member in the list of sessions. */
  readonly userAgent: string;
}

export interface SignedIn {
  /** Shown to the browser once; only its hash is stored. */
  readonly token: string;
  readonly csrfSecret: string;
  readonly member: MemberRecord;
  readonly workspace: WorkspaceRecord;
  readonly expiresAt: Date;
}

/** Opens a session. An unknown email takes as long as a wrong password and is refused in the same words. */
export async function signIn(runtime: Runtime, input: SignIn): Promise<SignedIn> {
  const email = input.email.trim().toLowerCase();
  const attempt = await countAttempt(runtime, email, input.network);
  let row: { id: number; workspace_id: number; password_hash: string | null } | null;
  let matches: boolean;
  try {
    row = await runtime.db.row(
      'SELECT id, workspace_id, password_hash FROM members WHERE lower(email) = $email AND is_active',
      { email },
    );
    matches = await verifyPassword(input.password, row?.password_hash ?? null);
  } catch (error) {
    // The password was never looked at, so this was no wrong guess.
    await attempt.forgive();
    throw error;
  }
  if (!row || !matches) throw new AppError('unauthorized', 'Invalid email or password.');
  await attempt.forgive();

  const token = randomToken(32);
  const csrfSecret = randomToken(24);
  const session = await runtime.db.row<{ expires_at: Date }>(
    `INSERT INTO sessions (member_id, token_hash, csrf_secret, user_agent, address, expires_at)
     VALUES ($memberId, $hash, $csrfSecret, $userAgent, $network, now() + $seconds * interval '1 second')
     RETURNING expires_at`,
    {
      memberId: row.id,
      hash: sha256(token),
      csrfSecret,
      userAgent: printable(input.userAgent).slice(0, 255),
      network: input.network.slice(0, 64),
      seconds: sessionSeconds,
    },
  );
  const ctx = systemCtx(runtime, row.workspace_id, 'sign-in');
  return {
    token,
    csrfSecret,
    member: await getMember(ctx, row.id),
    workspace: await getWorkspace(runtime, row.workspace_id),
    expiresAt: session?.expires_at ?? runtime.clock.now(),
  };
}

/** Ends the session of this token; an unknown one is no error. */
export async function signOut(runtime: Runtime, token: string): Promise<void> {
  await runtime.db.rows('DELETE FROM sessions WHERE token_hash = $hash', { hash: sha256(token) });
}

/** A session as its member sees it. */
export interface SessionRecord {
  readonly id: number;
  readonly user_agent: string;
  readonly address: string;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
  readonly is_current: boolean;
}

/** The member's own sessions that can still be used, the one used last first. */
export async function listSessions(ctx: Ctx): Promise<SessionRecord[]> {
  return ctx.runtime.db.rows<SessionRecord>(
    `SELECT x.id, x.user_agent, x.address, x.created_at, x.last_used_at, x.expires_at, x.id = $current AS is_current
     FROM sessions x JOIN members m ON m.id = x.member_id AND m.workspace_id = $workspaceId
     WHERE x.member_id = $memberId AND ${usableSession} ORDER BY x.last_used_at DESC, x.id DESC LIMIT 1000`,
    { workspaceId: ctx.workspaceId, memberId: ctx.actor.memberId, current: ctx.actor.sessionId ?? null },
  );
}

/** Ends one of the member's own sessions. Throws 404. */
export async function endSession(ctx: Ctx, sessionId: number): Promise<void> {
  const row = await ctx.runtime.db.row(
    `DELETE FROM sessions x USING members m
     WHERE m.id = x.member_id AND m.workspace_id = $workspaceId AND x.member_id = $memberId AND x.id = $sessionId
     RETURNING x.id`,
    { workspaceId: ctx.workspaceId, memberId: ctx.actor.memberId, sessionId },
  );
  if (!row) throw notFound();
}

/** Ends all sessions of a member of the workspace but the one to keep; gives how many. */
export async function endSessions(ctx: Ctx, memberId: number | null, keep: number | null = null): Promise<number> {
  const rows = await ctx.runtime.db.rows(
    `DELETE FROM sessions x USING members m
     WHERE m.id = x.member_id AND m.workspace_id = $workspaceId AND x.member_id = $memberId
       AND ($keep::bigint IS NULL OR x.id <> $keep::bigint) RETURNING x.id`,
    { workspaceId: ctx.workspaceId, memberId, keep },
  );
  return rows.length;
}

/** Leaves out what PostgreSQL cannot store and no list should show. */
function printable(words: string): string {
  return words.toWellFormed().replaceAll(/[^\x20-\x7e]/g, '');
}
