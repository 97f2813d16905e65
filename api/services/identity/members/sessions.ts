import { literal, Op, Transaction } from 'sequelize';
import { cut } from '../../../core/text/cut';
import { systemCtx, type Ctx } from '../../../core/context';
import { AppError, notFound } from '../../../core/http/errors';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { randomToken, sha256, verifyPassword } from '../../../core/secrets';
import { countEntries, recordSecurity } from '../securityLog/service';
import { usableSession } from '../apiKeys/authenticate';
import { getWorkspace, type WorkspaceRecord } from '../workspaces/service';
import { countSignIn, type Origin } from '../attempts/attempts';
import { deviceIdOf, newDeviceCookie } from '../attempts/devices';
import { addTotp, hasFactor, proveFactor, type Proof } from '../factors/service';
import { mailLater } from '../mails/queue';
import { makeLink } from './links';
import { checkOwnPassword } from './ownPassword';
import { getMember, type MemberRecord } from './service';
import { reason } from '../reasons';

/** A sign-in lasts a week. */
export const sessionSeconds = 7 * 86_400;
/** One by a company's provider lasts a working day: whom the provider has let go is out by its end. */
const ssoSeconds = 12 * 3_600;
const maxListed = 1_000;

/** How long a sign-in waits for the second factor after the password. */
const awaitedSeconds = 600;

interface SignIn extends Origin {
  readonly email: string;
  readonly password: string;
  /** What the browser calls itself; shown to the member in the list of sessions. */
  readonly userAgent: string;
}

export interface SignedIn {
  /** The password was right, and a second factor is owed: until then the token opens nothing else. */
  readonly awaitsFactor: boolean;
  /** Shown to the browser once; only its hash is stored. */
  readonly token: string;
  /** Marks the browser as one that this account has used; none while a second factor is owed. */
  readonly device: string | undefined;
  readonly csrfSecret: string;
  readonly member: MemberRecord;
  readonly workspace: WorkspaceRecord;
  readonly expiresAt: Date;
}

/** Opens a session. An unknown email takes as long as a wrong password and is refused in the same words. */
export async function signIn(runtime: Runtime, input: SignIn): Promise<SignedIn> {
  const email = input.email.trim().toLowerCase();
  const attempt = await countSignIn(runtime, email, input);
  let row: (Member & SignInColumns) | null;
  let matches: boolean;
  try {
    // Crosses workspaces: a proved email is unique in the installation, and says whose member signs in.
    row = await runtime.db.row(
      `SELECT m.id, m.workspace_id, m.password_hash, m.role, w.require_factor,
         coalesce(p.require_sso, false) AS require_sso
       FROM members m JOIN workspaces w ON w.id = m.workspace_id
       LEFT JOIN sso_providers p ON p.workspace_id = w.id
       WHERE lower(m.email) = $email AND m.is_active AND m.email_proved_at IS NOT NULL`,
      { email },
    );
    matches = await verifyPassword(input.password, row?.password_hash ?? null);
  } catch (error) {
    // The password was never looked at, so this was no wrong guess.
    await attempt.forgive();
    throw error;
  }
  if (row && !matches) await recordSecurity(memberCtx(runtime, row, input.address), { action: 'signIn.refused' });
  if (!row || !matches) throw new AppError('unauthorized', reason('signInWrong'));
  await attempt.forgive();
  const hasOwn = await hasFactor(runtime, row.id);
  // When the provider does not work, an owner gets in: with both, and what was set up before.
  if (row.require_sso && !(row.role === 'owner' && hasOwn)) {
    await recordSecurity(memberCtx(runtime, row, input.address), { action: 'signIn.ssoRequired' });
    throw new AppError('forbidden', reason('companySignIn'));
  }
  const factor = row.require_factor || hasOwn ? 'awaited' : 'none';
  return openSession(runtime, row, { ...input, origin: input, email, factor, passwordHash: row.password_hash });
}

interface Member {
  readonly id: number;
  readonly workspace_id: number;
}

interface SignInColumns {
  readonly password_hash: string | null;
  readonly role: string;
  readonly require_factor: boolean;
  readonly require_sso: boolean;
}

/** Opens a session of a member who has shown who they are, as far as `factor` says. */
export async function openSession(
  runtime: Runtime,
  row: Member,
  how: Pick<SignIn, 'userAgent' | 'email'> & {
    readonly factor: 'awaited' | 'none';
    readonly origin: Origin;
    /** Of the password that they gave. */
    readonly passwordHash?: string | null;
    /** The company's provider vouches for them, who showed it who they are at this time. */
    readonly sso?: { readonly verifiedAt: Date };
  },
): Promise<SignedIn> {
  const awaitsFactor = how.factor === 'awaited';
  const isSso = how.sso !== undefined;
  const ctx = memberCtx(runtime, row, how.origin.address);
  const token = randomToken(32);
  const csrfSecret = randomToken(24);
  const { Member: Members, Session } = runtime.db.models;
  const session = await runtime.db.transaction(async () => {
    // A password that changed while the given one was looked at is seen here, or ends this session.
    const member = await of(ctx, Members).findOne({
      attributes: ['id'],
      where: { id: row.id, is_active: true, ...(how.passwordHash ? { password_hash: how.passwordHash } : {}) },
      lock: Transaction.LOCK.SHARE,
      raw: true,
    });
    if (!member) throw new AppError('unauthorized', reason('signInWrong'));
    return Session.create({
      member_id: row.id,
      token_hash: sha256(token),
      csrf_secret: csrfSecret,
      factor: how.factor,
      is_sso: isSso,
      verified_at: how.sso?.verifiedAt,
      user_agent: cut(printable(how.userAgent), 255),
      address: cut(how.origin.address, 64),
      expires_at: new Date(Date.now() + (awaitsFactor ? awaitedSeconds : secondsOf(isSso)) * 1_000),
    });
  });
  if (awaitsFactor) await recordSecurity(ctx, { action: 'signIn.awaitsFactor' });
  else await recordSignIn(ctx, row.id, how.email, how.origin);
  return {
    awaitsFactor,
    token,
    // Half a sign-in makes no browser a known one.
    device: awaitsFactor ? undefined : newDeviceCookie(runtime, how.email),
    csrfSecret,
    member: await getMember(ctx, row.id),
    workspace: await getWorkspace(ctx),
    expiresAt: session.expires_at,
  };
}

/** Records a finished sign-in, which is told where neither its network nor its browser was the member's before. */
async function recordSignIn(ctx: Ctx, memberId: number, email: string, origin: Origin): Promise<void> {
  const { network } = origin;
  const isNew =
    deviceIdOf(ctx.runtime, email, origin.device) === null &&
    (await countEntries(ctx, memberId, { actions: ['signIn'], given: { network } })) === 0;
  await recordSecurity(ctx, { action: 'signIn', given: { network } });
  if (isNew) await recordSecurity(ctx, { action: 'signIn.newPlace', given: { network } });
}

const toldCodes = 5;
const maxCodes = 50;

/**
 * Records a code that was refused behind a right password. The member is told of every five in a day; fifty end what
 * the password opens, and a new one is chosen by a link.
 */
async function recordWrongCode(ctx: Ctx, memberId: number, action: string): Promise<void> {
  const { runtime } = ctx;
  await recordSecurity(ctx, { action, given: { second_factor: true } });
  const actions = ['signIn.factorRefused', 'sessions.refused'];
  const wrong = await countEntries(ctx, memberId, { actions, given: { second_factor: true }, hours: 24 });
  if (wrong % toldCodes === 0) await recordSecurity(ctx, { action: 'signIn.codesGuessed' });
  if (wrong < maxCodes) return;
  await runtime.db.transaction(async () => {
    await of(ctx, runtime.db.models.Member).update({ password_hash: null }, { where: { id: memberId } });
    await endSessions(ctx, memberId);
    await recordSecurity(ctx, { action: 'signIn.passwordVoid' });
    if (runtime.mail) await makeLink(ctx, memberId);
  });
}

/** Returns whether a refusal was that of a wrong code: one that is not looked at is none. */
function isWrong(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'throttled';
}

function secondsOf(isSso: boolean): number {
  return isSso ? ssoSeconds : sessionSeconds;
}

function memberCtx(runtime: Runtime, row: Member, address: string, sessionId?: number): Ctx {
  const actor = { type: 'member' as const, memberId: row.id, apiKeyId: null, ...(sessionId ? { sessionId } : {}) };
  return { ...systemCtx(runtime, row.workspace_id, 'sign-in', actor), address };
}

/** A sign-in that still owes the second factor. */
export interface Awaiting extends Member {
  readonly session_id: number;
  readonly csrf_secret: string;
  readonly email: string;
  readonly is_sso: boolean;
}

/** Returns the sign-in of this token that still owes the second factor, or null. */
export async function awaitingOf(runtime: Runtime, token: string): Promise<Awaiting | null> {
  return runtime.db.row<Awaiting>(
    `SELECT m.id, m.workspace_id, m.email, x.id AS session_id, x.csrf_secret, x.is_sso
     FROM sessions x JOIN members m ON m.id = x.member_id AND m.is_active
     WHERE x.token_hash = $hash AND x.factor = 'awaited' AND x.expires_at > now()`,
    { hash: sha256(token) },
  );
}

/** What the second step of a sign-in gave. */
interface Finished {
  /** The token of the session, in place of that of the first step. */
  readonly token: string;
  /** Shown once to who has just set up their first factor. */
  readonly codes: readonly string[] | null;
  /** Marks the browser as one that this account has used. */
  readonly device: string;
}

/**
 * Ends a sign-in that owed the second factor: by a proof of it or, for a member of a workspace that demands one, by
 * setting up an authenticator app. Throws the 400 of a wrong one.
 */
export async function finishSignIn(
  runtime: Runtime,
  awaiting: Awaiting,
  proof: Proof & { readonly enrolment?: string | undefined },
  origin: Origin,
): Promise<Finished> {
  const ctx = memberCtx(runtime, awaiting, origin.address, awaiting.session_id);
  let codes: readonly string[] | null = null;
  try {
    if (await hasFactor(runtime, awaiting.id))
      await proveFactor(
        runtime,
        { memberId: awaiting.id, sessionId: awaiting.session_id, place: origin.network },
        proof,
      );
    else
      codes = await addTotp(ctx, {
        enrolment: proof.enrolment ?? '',
        code: proof.code ?? '',
        name: 'Authenticator app',
      });
  } catch (error) {
    if (isWrong(error)) await recordWrongCode(ctx, awaiting.id, 'signIn.factorRefused');
    throw error;
  }
  const token = randomToken(32);
  // A new token, because the first one was given for the password alone.
  const [finished] = await runtime.db.models.Session.update(
    {
      token_hash: sha256(token),
      factor: 'proved',
      verified_at: literal('now()'),
      expires_at: new Date(Date.now() + secondsOf(awaiting.is_sso) * 1_000),
    },
    { where: { id: awaiting.session_id, factor: 'awaited' } },
  );
  if (finished === 0) throw new AppError('unauthorized', reason('signInOver'));
  await recordSignIn(ctx, awaiting.id, awaiting.email, origin);
  if (codes) {
    await endSessions(ctx, awaiting.id, awaiting.session_id);
    await mailLater(ctx, awaiting.id, 'factorAdded');
  }
  return { token, codes, device: newDeviceCookie(runtime, awaiting.email) };
}

/** Takes what the acting member shows again: a second factor where they have one, else their password. */
export async function confirmSession(
  ctx: Ctx,
  { password, ...proof }: Proof & { readonly password?: string | undefined },
): Promise<void> {
  const { memberId, sessionId } = ctx.actor;
  if (memberId === null || sessionId === undefined) throw notFound();
  const hasOwn = await hasFactor(ctx.runtime, memberId);
  try {
    if (hasOwn) await proveFactor(ctx.runtime, { memberId, sessionId, place: `session ${sessionId}` }, proof);
    else await checkOwnPassword(ctx, password ?? '', 'password');
  } catch (error) {
    if (hasOwn && isWrong(error)) await recordWrongCode(ctx, memberId, 'sessions.refused');
    else if (error instanceof AppError) await recordSecurity(ctx, { action: 'sessions.refused' });
    throw error;
  }
  await ctx.runtime.db.models.Session.update({ verified_at: literal('now()') }, { where: { id: sessionId } });
}

/**
 * Records that the company's provider has confirmed the member of a session again. Throws 403 when it names another
 * person.
 */
export async function confirmBySso(ctx: Ctx, memberId: number, sessionId: number): Promise<void> {
  const [confirmed] = await ctx.runtime.db.models.Session.update(
    { verified_at: literal('now()') },
    { where: { id: sessionId, member_id: memberId } },
  );
  if (confirmed === 0) throw new AppError('forbidden', reason('otherPerson'));
  const actor = { type: 'member' as const, memberId, apiKeyId: null, sessionId };
  await recordSecurity({ ...ctx, actor }, { action: 'sessions.confirm' });
}

/** Notes that the acting session has shown a factor; with the first one the member's other sessions end. */
export async function noteFactor(ctx: Ctx, isFirst: boolean): Promise<void> {
  const { memberId, sessionId = 0 } = ctx.actor;
  await ctx.runtime.db.models.Session.update({ factor: 'proved' }, { where: { id: sessionId } });
  if (!isFirst || memberId === null) return;
  await endSessions(ctx, memberId, sessionId);
  await mailLater(ctx, memberId, 'factorAdded');
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
 * Ends the sessions of the workspace that were opened by a password, those of them that have shown no second factor, or
 * those by the company's provider; the acting one goes on.
 */
export async function endSessionsOf(ctx: Ctx, how: 'password' | 'noFactor' | 'sso'): Promise<void> {
  // SQL: sessions carry no workspace, their members do.
  await ctx.runtime.db.rows(
    `DELETE FROM sessions x USING members m
     WHERE m.id = x.member_id AND m.workspace_id = $workspaceId AND x.is_sso = $isSso AND x.id <> $current
       AND (x.factor = 'none' OR $how <> 'noFactor')`,
    { workspaceId: ctx.workspaceId, isSso: how === 'sso', how, current: ctx.actor.sessionId ?? 0 },
  );
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
