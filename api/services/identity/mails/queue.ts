import { literal } from 'sequelize';
import type { MailRow } from '../../../../models';
import type { Ctx } from '../../../core/context';

/** How long a notice is worth sending; after that the member has found out in other ways. */
const noticeMs = 3 * 86_400_000;

/**
 * Puts a mail on its way in the surrounding transaction: a worker sends it, so no request waits for a server of mail.
 * Does nothing where there is none. The newest of a kind takes the place of one that was not sent yet.
 */
export async function mailLater(
  ctx: Pick<Ctx, 'runtime'>,
  memberId: number,
  kind: MailRow['kind'],
  expiresAt = new Date(ctx.runtime.clock.now().getTime() + noticeMs),
): Promise<void> {
  const { mail, db } = ctx.runtime;
  if (!mail) return;
  await db.models.Mail.upsert({
    ...{ member_id: memberId, kind, expires_at: expiresAt, claimed_until: null },
    created_at: literal('now()') as unknown as Date,
  });
}

/** What a mail that lists what happened begins with. */
interface Bell {
  readonly workspaceId: number;
  readonly memberId: number;
  readonly isForOwners: boolean;
  readonly since: Date;
}

/**
 * Puts a mail on its way to a member, and to the owners where they are told, too. It says all that happened by the time
 * it is sent: one that waits already keeps its beginning, and learns by `expires_at` that there is more.
 */
export async function ringByMail(runtime: Ctx['runtime'], bell: Bell): Promise<void> {
  if (!runtime.mail) return;
  // SQL: to several members at once.
  await runtime.db.rows(
    `INSERT INTO mails (member_id, kind, created_at, expires_at)
     SELECT m.id, 'bell', $since, now() + $noticeMs * interval '1 millisecond' FROM members m
     WHERE m.workspace_id = $workspaceId AND m.is_active
       AND (m.id = $memberId OR ($isForOwners AND m.role = 'owner'))
     ON CONFLICT (member_id, kind) DO UPDATE SET expires_at = excluded.expires_at`,
    { ...bell, noticeMs },
  );
}

/** SQL: that a mail `q` to the member `o` may be sent now; of what happened to their account one an hour. */
const isDueSql = `q.expires_at > now() AND (q.claimed_until IS NULL OR q.claimed_until < now())
  AND (q.kind <> 'bell' OR o.told_at IS NULL OR o.told_at < now() - interval '1 hour')`;

/** A mail that this process is sending. */
type WaitingMail = Pick<MailRow, 'member_id' | 'kind' | 'created_at' | 'expires_at'> & {
  readonly workspace_id: number;
};

/** Takes one of the mails that wait, the oldest of a workspace that chance chooses: many of one hold up no other's. */
export async function claimMail(runtime: Ctx['runtime']): Promise<WaitingMail | null> {
  // SQL: several workers take different mails, of all workspaces.
  return runtime.db.row<WaitingMail>(
    `UPDATE mails w SET claimed_until = now() + $claimMs * interval '1 millisecond'
     FROM members m
     WHERE m.id = w.member_id AND w.ctid = (
       SELECT q.ctid FROM mails q JOIN members o ON o.id = q.member_id
       WHERE ${isDueSql} AND o.workspace_id = (
         SELECT o.workspace_id FROM mails q JOIN members o ON o.id = q.member_id WHERE ${isDueSql}
         GROUP BY o.workspace_id ORDER BY random() LIMIT 1)
       ORDER BY q.created_at LIMIT 1 FOR UPDATE OF q SKIP LOCKED)
     RETURNING w.member_id, w.kind, w.created_at, w.expires_at, m.workspace_id`,
    { claimMs: runtime.process.timing.mailClaimMs },
  );
}

/** Removes a mail that was sent, or is not to be sent any more. */
export async function dropMail(
  runtime: Ctx['runtime'],
  where: Partial<Omit<WaitingMail, 'workspace_id'>>,
): Promise<void> {
  await runtime.db.models.Mail.destroy({ where });
}

/** Lets a mail that was left because it has more to say be taken again. */
export async function releaseMail(runtime: Ctx['runtime'], memberId: number, kind: MailRow['kind']): Promise<void> {
  await runtime.db.models.Mail.update({ claimed_until: null }, { where: { member_id: memberId, kind } });
}
