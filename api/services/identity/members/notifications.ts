import { literal, Transaction } from 'sequelize';
import { noticeKinds, type NoticeKind, type NoticeLevel } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { of, recordsOf } from '../../../core/db/scoped';
import { invalidField, notFound } from '../../../core/http/errors';
import { offsetOf } from '../../../core/zones';
import { reason } from '../reasons';

/** How a member is told of what concerns them. */
export interface NotificationSettings extends Readonly<Record<`notify_${NoticeKind}`, NoticeLevel>> {
  readonly notify_sound: boolean;
  /** Times of day in the workspace's time zone, as HH:MM; null: no quiet hours. */
  readonly quiet_from: string | null;
  readonly quiet_until: string | null;
}

const attributes = [
  ...noticeKinds.map((kind) => `notify_${kind}` as const),
  ...(['notify_sound', 'quiet_from', 'quiet_until'] as const),
];

const members = (ctx: Ctx) => ctx.runtime.db.models.Member;

/** Returns how a member is told. Throws 404. */
export async function notificationSettingsOf(ctx: Ctx, memberId: number): Promise<NotificationSettings> {
  const [found] = await recordsOf<NotificationSettings>(ctx, members(ctx), {
    attributes: [...attributes],
    where: { id: memberId },
  });
  if (!found) throw notFound();
  return found;
}

type Changes = { readonly [Name in keyof NotificationSettings]?: NotificationSettings[Name] | undefined };

/** Changes how the acting member is told. Throws 400 where quiet hours have no beginning or no end. */
export async function changeNotificationSettings(ctx: Ctx, changes: Changes): Promise<NotificationSettings> {
  const memberId = ctx.actor.memberId ?? 0;
  return ctx.runtime.db.transaction(async () => {
    await of(ctx, members(ctx)).findOne({ where: { id: memberId }, lock: Transaction.LOCK.UPDATE, raw: true });
    const before = await notificationSettingsOf(ctx, memberId);
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const after: NotificationSettings = { ...before, ...given };
    if ((after.quiet_from === null) !== (after.quiet_until === null))
      throw invalidField(after.quiet_from === null ? 'quiet_from' : 'quiet_until', reason('quietHalf'));
    if (after.quiet_from !== null && after.quiet_from === after.quiet_until)
      throw invalidField('quiet_until', reason('quietSame'));
    await of(ctx, members(ctx)).update({ ...after, updated_at: literal('now()') }, { where: { id: memberId } });
    return after;
  });
}

/** Returns whether a moment is in somebody's quiet hours, by a clock on the wall of a time zone. */
export function isQuiet(
  { quiet_from: from, quiet_until: until }: Pick<NotificationSettings, 'quiet_from' | 'quiet_until'>,
  timeZone: string,
  now: Date,
): boolean {
  if (from === null || until === null) return false;
  const time = new Date(now.getTime() + offsetOf(now, timeZone)).toISOString().slice(11, 16);
  return from < until ? from <= time && time < until : from <= time || time < until;
}
