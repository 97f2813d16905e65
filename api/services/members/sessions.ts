import { AppError } from '../../core/errors';
import { PostgresRateLimitStore } from '../../core/rateLimits';
import type { Runtime } from '../../core/runtime';
import { randomToken, sha256, verifyPassword } from '../../core/secrets';
import { systemCtx } from '../../core/context';
import { getWorkspace, type WorkspaceRecord } from '../workspaces/service';
import { getMember, type MemberRecord } from './service';

/** A sign-in lasts a week. */
export const sessionSeconds = 7 * 86_400;

const attemptsPerWindow = 10;
const windowMs = 15 * 60_000;

export interface SignIn {
  readonly email: string;
  readonly password: string;
  /** Where the attempt comes from; attempts are counted per email and address. */
  readonly address: string;
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
  const attempts = new PostgresRateLimitStore(runtime.db, 'sign-in:', windowMs);
  const bucket = sha256(`${email}\0${input.address}`).toString('base64url');
  const { totalHits, resetTime } = await attempts.increment(bucket);
  if (totalHits > attemptsPerWindow) {
    const seconds = Math.max(1, Math.ceil(((resetTime?.getTime() ?? Date.now()) - Date.now()) / 1000));
    throw new AppError('throttled', `Request was throttled. Expected available in ${seconds} seconds.`, {
      retryAfter: seconds,
    });
  }
  const row = await runtime.db.row<{ id: number; workspace_id: number; password_hash: string | null }>(
    'SELECT id, workspace_id, password_hash FROM members WHERE lower(email) = $email AND is_active',
    { email },
  );
  const matches = await verifyPassword(input.password, row?.password_hash ?? null);
  if (!row || !matches) throw new AppError('unauthorized', 'Invalid email or password.');

  const token = randomToken(32);
  const csrfSecret = randomToken(24);
  const session = await runtime.db.row<{ expires_at: Date }>(
    `INSERT INTO sessions (member_id, token_hash, csrf_secret, expires_at) VALUES ($memberId, $hash, $csrfSecret, now() + $seconds * interval '1 second') RETURNING expires_at`,
    { memberId: row.id, hash: sha256(token), csrfSecret, seconds: sessionSeconds },
  );
  await attempts.resetKey(bucket);
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
