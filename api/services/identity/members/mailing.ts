import type { MailRow } from '../../../../models';
import { systemCtx, type Ctx } from '../../../core/context';
import type { Runtime } from '../../../core/runtime';
import { renewLink } from './links';
import { getMember } from './service';

const notices = {
  factorsLost: {
    subject: 'Your second factors for Msgdesk were removed',
    text: 'An owner of your workspace, or the operator, removed your second factors.',
  },
  factorAdded: {
    subject: 'A second factor for Msgdesk was set up',
    text: 'From now on each of your sign-ins asks for it. Your recovery codes were shown to who set it up.',
  },
};

/** Sends one of the mails that wait; returns whether there was one. What the server refuses is tried again. */
export async function sendMail(runtime: Runtime): Promise<boolean> {
  const { mail, db } = runtime;
  if (!mail) return false;
  // SQL: several workers take different mails, of all workspaces.
  const waiting = await db.row<
    Pick<MailRow, 'member_id' | 'kind' | 'created_at' | 'expires_at'> & { workspace_id: number }
  >(
    `UPDATE mails w SET claimed_until = now() + $claimMs * interval '1 millisecond'
     FROM members m
     WHERE m.id = w.member_id AND w.ctid = (
       SELECT ctid FROM mails
       WHERE expires_at > now() AND (claimed_until IS NULL OR claimed_until < now())
       ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING w.member_id, w.kind, w.created_at, w.expires_at, m.workspace_id`,
    { claimMs: runtime.process.timing.mailClaimMs },
  );
  if (!waiting) return false;
  const ctx = systemCtx(runtime, waiting.workspace_id, 'mails');
  const { email, name } = await getMember(ctx, waiting.member_id);
  const { subject, text } =
    waiting.kind === 'link' ? await linkMail(ctx, waiting, name || email) : noticeOf(runtime, waiting.kind);
  if (!(await mail.send({ to: email, subject, text }))) return true;
  await db.models.Mail.destroy({
    where: { member_id: waiting.member_id, kind: waiting.kind, created_at: waiting.created_at },
  });
  return true;
}

interface Words {
  readonly subject: string;
  readonly text: string;
}

async function linkMail(
  ctx: Ctx,
  { member_id: memberId, expires_at: expiresAt }: Pick<MailRow, 'member_id' | 'expires_at'>,
  name: string,
): Promise<Words> {
  const text = [
    `Hello ${name},`,
    `with this link you choose a password for Msgdesk at ${ctx.runtime.config.baseUrl}:`,
    await renewLink(ctx, memberId, expiresAt),
    'It works once, within an hour of being asked for. If you did not expect it, tell an owner of your workspace.',
  ];
  return { subject: 'Choose your password for Msgdesk', text: text.join('\n\n') };
}

function noticeOf({ config }: Runtime, kind: keyof typeof notices): Words {
  const { subject, text } = notices[kind];
  return { subject, text: `${text} At ${config.baseUrl}. If you did not ask for it, tell an owner of your workspace.` };
}
