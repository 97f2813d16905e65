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
