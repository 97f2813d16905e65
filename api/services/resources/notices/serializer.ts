import { noticeKinds, noticeLevels, type NoticeKind } from '../../../../models/enums';
import { from, isoTime, shapeOf, wire } from '../../../core/http/shapes';
import { rescuePath, toldWords } from '../../identity/securityLog/securityNotices';
import { toldTexts } from '../../identity/words';
import type { NotificationSettings } from '../../identity/members/notifications';
import { settingTexts } from './schema';

/** Whom a notice is about, and where it happened. */
export interface NoticeView {
  readonly id: number;
  readonly kind: NoticeKind | 'security' | 'rule';
  readonly created_at: Date;
  /** Of the customer; null where it concerns safety, a rule or a ticket. */
  readonly receiver_id: string | null;
  readonly name: string;
  readonly username: string | null;
  readonly phone: string | null;
  /** The rule that asks for who may manage it, and why. */
  readonly rule_id: number | null;
  readonly attention: string | null;
  /** The ticket whose comment mentions the member. */
  readonly ticket_id: number | null;
  /** What concerns safety, and from where. */
  readonly action: string | null;
  readonly address: string | null;
  /** Whether it is within the member's quiet hours. */
  readonly is_quiet: boolean;
  /** Whether the member wants to hear it now. */
  readonly sounds: boolean;
}

/** A notice before it is told. */
export type NoticeRow = Omit<NoticeView, 'is_quiet' | 'sounds'>;

const { titles } = toldTexts;

/** Returns why a rule asks for a member. */
const attentionWords = (reason: string): string =>
  (toldTexts.attention as Readonly<Record<string, string>>)[reason] ?? toldTexts.look;

const counted = (what: string, others: number): string => (others > 0 ? toldTexts.and(what, others) : what);

/** Returns what a notice says: of the customer no more than how they are called. */
export function wordsOf(
  {
    kind,
    name,
    username,
    phone,
    receiver_id: receiver,
    action,
    address,
    rule_id: ruleId,
    attention,
    ticket_id: ticketId,
  }: NoticeRow,
  others = 0,
): { readonly title: string; readonly body: string; readonly href: string } {
  if (ruleId !== null) {
    const what = `${name}: ${attentionWords(attention ?? '')}`;
    return { title: titles[kind], body: counted(what, others), href: `/dashboard/rules/${ruleId}/` };
  }
  if (ticketId !== null)
    return { title: titles[kind], body: counted(name, others), href: `/dashboard/tickets/${ticketId}/` };
  if (receiver === null) {
    const who = `${toldWords(action ?? '')}: ${name}`;
    const what = address ? toldTexts.from(who, address) : who;
    return { title: titles[kind], body: counted(what, others), href: rescuePath };
  }
  const who = name || (username ? `@${username}` : '') || (phone ? `+${phone}` : receiver);
  return {
    title: titles[kind],
    body: counted(who, others),
    href: `/dashboard/inbox/${encodeURIComponent(receiver)}/?view=all`,
  };
}

/** Something that a member is told of (contract 18.9). */
export const { schema: noticeShape, serialize: serializeNotice } = shapeOf<NoticeView>('Notice').with({
  id: wire.integer(),
  kind: wire.oneOf([...noticeKinds, 'security', 'rule']),
  receiver_id: wire.nullable(wire.text('Of the customer; null for `security` and `rule`, and in a ticket.')),
  title: from(wire.text('What happened.'), (row) => wordsOf(row).title),
  body: from(wire.text('With whom.'), (row) => wordsOf(row).body),
  href: from(wire.text('The page that shows it.'), (row) => wordsOf(row).href),
  is_quiet: wire.boolean('Whether it is in your quiet hours now.'),
  sounds: wire.boolean('Whether you want to hear it now.'),
  created_at: wire.datetime(),
});

const level = (description: string) => ({ ...wire.oneOf(noticeLevels), description });

/** How a member is told. */
export const { schema: settingsShape, serialize: serializeSettings } = shapeOf<NotificationSettings>(
  'NotificationSettings',
).with({
  notify_assigned: level(settingTexts.notify_assigned),
  notify_message: level(settingTexts.notify_message),
  notify_unassigned: level(settingTexts.notify_unassigned),
  notify_mention: level(settingTexts.notify_mention),
  notify_held: level(settingTexts.notify_held),
  notify_sound: wire.boolean(settingTexts.notify_sound),
  quiet_from: wire.nullable(wire.text(settingTexts.quiet_from)),
  quiet_until: wire.nullable(wire.text(settingTexts.quiet_until)),
});

/** A browser that takes web push, as its member sees it. */
export interface BrowserRecord {
  readonly id: number;
  readonly user_agent: string;
  readonly is_current: boolean;
  readonly created_at: Date;
}

export const browserShape = wire.named('PushSubscription', {
  id: wire.integer(),
  user_agent: wire.text('What the browser called itself when it signed in.'),
  is_current: wire.boolean('Whether it was turned on in the session that asks.'),
  created_at: wire.datetime(),
});

/** Returns a browser as it is shown. */
export function serializeBrowser({ created_at, ...row }: BrowserRecord): Record<string, unknown> {
  return { ...row, created_at: isoTime(created_at) };
}
