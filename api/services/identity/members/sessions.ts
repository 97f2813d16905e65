import { Op } from 'sequelize';
import { systemCtx, type Ctx } from '../../../core/context';
import { AppError, notFound } from '../../../core/http/errors';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { randomToken, sha256, verifyPassword } from '../../../core/secrets';
import { recordSecurity } from '../securityLog/service';
import { usableSession } from '../apiKeys/authenticate';
import { getWorkspace, type WorkspaceRecord } from '../workspaces/service';
import { countSignIn, type Origin } from './attempts';
import { newDevice } from './devices';
import { getMember, type MemberRecord } from './service';

/** A sign-in lasts a week. */
export const sessionSeconds = 7 * 86_400;
const maxListed = 1_000;

interface SignIn extends Origin {
  readonly email: string;
  readonly password: string;
  /** What the browser calls itself; shown to the member in the list of sessions. */
  readonly userAgent: string;
}

interface SignedIn {
  /** Shown to the browser once; only its hash is stored. */
  readonly token: string;
  /** Marks the browser as one that this account has used. */
  readonly device: string;
  readonly csrfSecret: string;
  readonly member: MemberRecord;
  readonly workspace: WorkspaceRecord;
  readonly expiresAt: Date;
}

/** Opens a session. An unknown email takes as long as a wrong password and is refused in the same words. */
export async function signIn(runtime: Runtime, input: SignIn): Promise<SignedIn> {
  const email = input.email.trim().toLowerCase();
  const attempt = await countSignIn(runtime, email, input);
  let row: { id: number; workspace_id: number; password_hash: string | null } | null;
  let matches: boolean;
  try {
    // Crosses workspaces: an email is unique in the installation, and says whose member signs in.
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
  if (row) {
    const actor = { type: 'member' as const, memberId: row.id, apiKeyId: null };
    const ctx = { ...systemCtx(runtime, row.workspace_id, 'sign-in', actor), address: input.address };
    await recordSecurity(ctx, { action: matches ? 'signIn' : 'signIn.refused' });
  }
  if (!row || !matches) throw new AppError('unauthorized', 'Invalid email or password.');
  await attempt.forgive();

  const token = randomToken(32);
  const csrfSecret = randomToken(24);
  const session = await runtime.db.models.Session.create({
    member_id: row.id,
    token_hash: sha256(token),
    csrf_secret: csrfSecret,
    user_agent: printable(input.userAgent).slice(0, 255),
    address: input.address.slice(0, 64),
    expires_at: new Date(Date.now() + sessionSeconds * 1_000),
  });
  const ctx = systemCtx(runtime, row.workspace_id, 'sign-in');
  return {
    token,
    device: newDevice(runtime, email),
    csrfSecret,
    member: await getMember(ctx, row.id),
    workspace: await getWorkspace(ctx),
    expiresAt: session.expires_at,
  };
}

/** Ends the session of this token; an unknown one is no error. */
export async function signOut(runtime: Runtime, token: string): Promise<void> {
  await runtime.db.models.Session.destroy({ where: { token_hash: sha256(token) } });
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

/** Returns the member's own sessions that can still be used, the one used last first; a list with its join. */
export async function listSessions(ctx: Ctx): Promise<SessionRecord[]> {
  return ctx.runtime.db.rows<SessionRecord>(
    `SELECT x.id, x.user_agent, x.address, x.created_at, x.last_used_at, x.expires_at, x.id = $current AS is_current
     FROM sessions x JOIN members m ON m.id = x.member_id AND m.workspace_id = $workspaceId
     WHERE x.member_id = $memberId AND ${usableSession}
     ORDER BY x.last_used_at DESC, x.id DESC LIMIT ${maxListed}`,
    { workspaceId: ctx.workspaceId, memberId: ctx.actor.memberId, current: ctx.actor.sessionId ?? null },
  );
}

/** Ends one of the member's own sessions. Throws 404. */
export async function endSession(ctx: Ctx, sessionId: number): Promise<void> {
  const { memberId } = ctx.actor;
  if (!(await isMember(ctx, memberId))) throw notFound();
  const { Session } = ctx.runtime.db.models;
  const ended = await Session.destroy({ where: { id: sessionId, member_id: memberId ?? 0 } });
  if (ended === 0) throw notFound();
}

/** Ends all sessions of a member of the workspace but the one to keep; returns how many. */
export async function endSessions(ctx: Ctx, memberId: number | null, keep: number | null = null): Promise<number> {
  if (!(await isMember(ctx, memberId))) return 0;
  const { Session } = ctx.runtime.db.models;
  return Session.destroy({
    where: { member_id: memberId ?? 0, ...(keep === null ? {} : { id: { [Op.ne]: keep } }) },
  });
}

/**
 * Returns whether this is a member of the workspace: sessions belong to members, and carry no workspace of their own.
 */
async function isMember(ctx: Ctx, memberId: number | null): Promise<boolean> {
  if (memberId === null) return false;
  return (await of(ctx, ctx.runtime.db.models.Member).count({ where: { id: memberId } })) > 0;
}

/** Leaves out what PostgreSQL cannot store and no list should show. */
function printable(words: string): string {
  return words.toWellFormed().replaceAll(/[^\x20-\x7e]/g, '');
}
