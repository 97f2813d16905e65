import { literal } from 'sequelize';
import { systemCtx, type Ctx } from '../../../core/context';
import { isUniqueViolation } from '../../../core/db/database';
import { conflict, notFound } from '../../../core/http/errors';
import { PostgresRateLimitStore } from '../../../core/db/rateLimits';
import { isoTime, wire } from '../../../core/http/shapes';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { randomToken, sha256 } from '../../../core/secrets';
import { recordSecurity } from '../securityLog/service';
import { dropMail, mailLater } from '../mails/queue';
import { getMember, updateMember } from './service';
import { reason } from '../reasons';

/** Long enough to read a mail, short enough that a forgotten one is worth nothing. */
const linkMs = 3_600_000;
const linkPath = '/dashboard/link/';
/** Mails that strangers can have sent to a member in an hour. */
const maxAskedPerHour = 3;

/** A link by which a member chooses a password. */
interface PasswordLink {
  /** Null when the link was mailed: then only the recipient sees it. */
  readonly url: string | null;
  readonly expiresAt: Date;
}

/** A link on the wire. */
export const linkShape = wire.named('PasswordLink', {
  url: wire.nullable(wire.text('The link, shown this once; null where it was mailed to the member.')),
  expires_at: wire.datetime(),
});

/** Returns the wire form of a link. */
export function linkView({ url, expiresAt }: PasswordLink): Record<string, unknown> {
  return { url, expires_at: isoTime(expiresAt) };
}

/**
 * Makes the link by which a member chooses a password: it works once, within an hour, and takes the place of an earlier
 * one. It is mailed where there is mail, else (and for the operator) shown to who makes it. It opens nothing but the
 * password: a second factor is asked for as ever.
 */
export async function makeLink(ctx: Ctx, memberId: number): Promise<PasswordLink> {
  const { runtime } = ctx;
  await getMember(ctx, memberId);
  const expiresAt = new Date(runtime.clock.now().getTime() + linkMs);
  await runtime.db.models.MemberLink.destroy({ where: { member_id: memberId } });
  if (!runtime.mail || ctx.actor.type === 'system') return { url: await addLink(ctx, memberId, expiresAt), expiresAt };
  await mailLater(ctx, memberId, 'link', expiresAt);
  return { url: null, expiresAt };
}

/** Returns a fresh link of the member. */
export async function addLink({ runtime }: Ctx, memberId: number, expiresAt: Date): Promise<string> {
  const token = randomToken(32);
  await runtime.db.models.MemberLink.create({
    member_id: memberId,
    token_hash: sha256(token),
    expires_at: expiresAt,
  });
  return `${runtime.config.baseUrl}${linkPath}${token}/`;
}

/**
 * Mails a link to the member with this email, if there is one. Done after the answer, which is the same in both cases.
 * A stranger may have asked: the link that the member has goes on.
 */
export async function askForLink(runtime: Runtime, email: string, address: string): Promise<void> {
  const store = new PostgresRateLimitStore(runtime.db, 'link:', linkMs);
  if ((await store.increment(sha256(email.toLowerCase()).toString('base64url'))).totalHits > maxAskedPerHour) return;
  // SQL: it crosses workspaces, by the expression of the index; a proved email is unique in the installation.
  const row = await runtime.db.row<{ id: number; workspace_id: number }>(
    `SELECT id, workspace_id FROM members
     WHERE lower(email) = $email AND is_active AND email_proved_at IS NOT NULL`,
    { email: email.toLowerCase() },
  );
  if (!row) return;
  const actor = { type: 'member' as const, memberId: row.id, apiKeyId: null };
  const ctx = { ...systemCtx(runtime, row.workspace_id, 'password-link', actor), address };
  await runtime.db.transaction(async () => {
    await recordSecurity(ctx, { action: 'password.askForLink', subjectId: row.id });
    await mailLater(ctx, row.id, 'link', new Date(runtime.clock.now().getTime() + linkMs));
  });
}

interface Linked {
  readonly id: number;
  readonly workspace_id: number;
  readonly email: string;
}

/** Returns whose link this is, or null when it is unknown, used, replaced or over. */
export async function memberOfLink(runtime: Runtime, token: string): Promise<Linked | null> {
  // SQL: of no workspace, because the token says whose link it is.
  return runtime.db.row<Linked>(
    `SELECT m.id, m.workspace_id, m.email FROM member_links l JOIN members m ON m.id = l.member_id AND m.is_active
     WHERE l.token_hash = $hash AND l.expires_at > now()`,
    { hash: sha256(token) },
  );
}

/**
 * Gives the member of a link the password that they chose, which proves their email and ends their sessions. Throws 404
 * where the link is used up, and 409 where another member has proved the same email meanwhile.
 */
export async function useLink(runtime: Runtime, token: string, password: string, address: string): Promise<void> {
  const found = await memberOfLink(runtime, token);
  if (!found) throw notFound();
  const actor = { type: 'member' as const, memberId: found.id, apiKeyId: null };
  const ctx = { ...systemCtx(runtime, found.workspace_id, 'password-link', actor), address };
  const { MemberLink } = runtime.db.models;
  try {
    await updateMember(
      ctx,
      found.id,
      { password },
      {
        before: async () => {
          // Of two at the same moment one finds it.
          if ((await MemberLink.destroy({ where: { token_hash: sha256(token) } })) === 0) throw notFound();
          await of(ctx, runtime.db.models.Member).update(
            { email_proved_at: literal('now()') },
            { where: { id: found.id, email_proved_at: null } },
          );
        },
        after: () => recordSecurity(ctx, { action: 'password.chosenByLink', subjectId: found.id }),
      },
    );
  } catch (error) {
    if (isUniqueViolation(error, 'members_email')) throw conflict(reason('emailElsewhere'));
    throw error;
  }
}

/** Makes the link of a member of the workspace open nothing any more, also one that is still to be mailed. */
export async function dropLink(ctx: Ctx, memberId: number): Promise<void> {
  const { id } = await getMember(ctx, memberId);
  await ctx.runtime.db.models.MemberLink.destroy({ where: { member_id: id } });
  await dropMail(ctx.runtime, { member_id: id, kind: 'link' });
}
