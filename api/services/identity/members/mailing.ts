import type { MailRow } from '../../../../models';
import { systemCtx, type Ctx } from '../../../core/context';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { rescuePath, toldWords } from '../securityLog/securityNotices';
import { toldTexts } from '../words';
import { claimMail, dropMail, releaseMail } from '../mails/queue';
import { addLink } from './links';
import { getMember } from './service';
import { speakingTo } from './speech';

const { mails } = toldTexts;

/**
 * Sends one of the mails that wait, the oldest of a workspace that chance chooses: many of one hold up no other's.
 * Returns whether there was one. What the server refuses is tried again.
 */
export async function sendMail(runtime: Runtime): Promise<boolean> {
  const { mail, db } = runtime;
  if (!mail) return false;
  const waiting = await claimMail(runtime);
  if (!waiting) return false;
  const ctx = systemCtx(runtime, waiting.workspace_id, 'mails');
  const { email, name } = await getMember(ctx, waiting.member_id);
  const { kind, member_id: memberId, created_at: createdAt, expires_at: expiresAt } = waiting;
  const { subject, text, readAt } = await speakingTo(ctx, memberId, async (): Promise<Words> => {
    if (kind === 'bell') return bellMail(ctx, waiting);
    return kind === 'link' ? linkMail(ctx, waiting, name || email) : noticeOf(runtime, kind);
  });
  if (!(await mail.send({ to: email, subject, text }))) return true;
  if (readAt) await of(ctx, db.models.Member).update({ told_at: readAt }, { where: { id: memberId } });
  await dropMail(runtime, {
    ...{ member_id: memberId, kind, created_at: createdAt },
    ...(readAt ? { expires_at: expiresAt } : {}),
  });
  // What happened while it was sent goes by the next one.
  if (readAt) await releaseMail(runtime, memberId, kind);
  return true;
}

/** Says what happened since the last mail of this kind, and where it is ended. */
async function bellMail(
  { runtime, workspaceId }: Ctx,
  { member_id: memberId, created_at: since }: Pick<MailRow, 'member_id' | 'created_at'>,
): Promise<Words> {
  // SQL: the owner's list has the doings of others. A minute more: what was committed late is told twice, not never.
  const rows = await runtime.db.rows<{ action: string; who: string; address: string; at: Date | null; read_at: Date }>(
    `SELECT s.action, coalesce(nullif(w.name, ''), w.email, '') AS who, s.address, s.created_at AS at, now() AS read_at
     FROM members m LEFT JOIN security_log s ON s.workspace_id = m.workspace_id AND s.told IS NOT NULL
       AND (s.member_id = m.id OR (s.told = 'owners' AND m.role = 'owner'))
       AND s.created_at >= greatest($since, m.told_at - interval '1 minute')
     LEFT JOIN members w ON w.id = s.member_id
     WHERE m.workspace_id = $workspaceId AND m.id = $memberId ORDER BY s.created_at DESC, s.id DESC LIMIT 50`,
    { workspaceId, memberId, since },
  );
  const lines = rows.flatMap(({ action, who, address, at }) =>
    at === null
      ? []
      : [`- ${toldWords(action)} (${address ? toldTexts.from(who, address) : who}, ${at.toISOString()})`],
  );
  const { baseUrl } = runtime.config;
  const text = [mails.bell.happened(baseUrl), lines.join('\n'), mails.bell.end(`${baseUrl}${rescuePath}`)];
  return { subject: mails.bell.subject, text: text.join('\n\n'), readAt: rows[0]?.read_at ?? since };
}

interface Words {
  readonly subject: string;
  readonly text: string;
  /** Up to when what happened is in it. */
  readonly readAt?: Date;
}

async function linkMail(
  ctx: Ctx,
  { member_id: memberId, expires_at: expiresAt }: Pick<MailRow, 'member_id' | 'expires_at'>,
  name: string,
): Promise<Words> {
  const text = [
    mails.link.hello(name),
    mails.link.choose(ctx.runtime.config.baseUrl),
    await addLink(ctx, memberId, expiresAt),
    mails.link.once,
  ];
  return { subject: mails.link.subject, text: text.join('\n\n') };
}

function noticeOf({ config }: Runtime, kind: 'factorAdded' | 'factorsLost'): Words {
  const { subject, text } = mails[kind];
  return { subject, text: mails.notAsked(text, config.baseUrl) };
}
