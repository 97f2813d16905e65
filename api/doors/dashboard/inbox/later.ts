import type { HeldReason } from '../../../../models/enums';
import { dueNow } from '../../../core/clock';
import { localOf, momentOfLocal } from '../../../core/zones';
import { readHours } from '../../../services/resources/calendars/hours';
import { formatMoment } from '../formats';
import type { PageRequest } from '../page';
import { threadDays, type WireMessage } from './messages';
import { laterPresets, type SnoozePreset } from './snooze';

/** A message that waits to be sent, or for a member. */
export type WireLater = WireMessage & {
  readonly send_at: string;
  readonly if_customer_writes: string;
  readonly held_reason: HeldReason | null;
};

/** It below the thread, with what can be done about it. */
export interface LaterView {
  readonly id: number;
  readonly message: ReturnType<typeof threadDays>[number]['messages'][number];
  readonly words: string;
  readonly style: string;
  /** Where its forms go. */
  readonly action: string;
  /** Its text, where it can be changed here; null: it is another kind of message. */
  readonly text: string | null;
  readonly local: string;
  readonly from: string;
  readonly zone: string;
}

const reasons: Readonly<Record<HeldReason, string>> = {
  customer_wrote: 'the customer wrote before',
  late: 'its time had passed by more than an hour',
  window_closed: 'the 24-hour window had closed',
  opted_out: 'the customer has opted out of marketing',
  template: 'its template cannot be sent any more',
  number: 'its number is gone',
  member: 'whoever wrote it may not send any more',
  trial: 'the trial was over',
  restored: 'the database was restored, and it may have been sent before',
  operator: 'the operator held it',
  refused: 'it was refused',
};

const policies: Readonly<Record<string, string>> = {
  hold: ', unless the customer writes before',
  cancel: ', and is discarded if the customer writes before',
};

/** Returns the messages of a conversation that wait, as the end of its thread shows them. */
export function laterViews(
  page: PageRequest,
  messages: readonly WireLater[],
  thread: Parameters<typeof threadDays>[2],
): LaterView[] {
  const zone = page.workspace.timezone;
  return messages.flatMap((message) => {
    const [view] = threadDays(page, [message], thread).flatMap((day) => day.messages);
    if (!view) return [];
    const isHeld = message.held_reason !== null;
    const content = message.body as { readonly type?: string; readonly text?: { readonly body?: string } };
    const at = new Date(message.send_at);
    return [
      {
        id: message.id,
        message: view,
        words:
          message.held_reason === null
            ? `Sent ${page.moment(message.send_at)}${policies[message.if_customer_writes] ?? ''}`
            : `Not sent: ${reasons[message.held_reason]}`,
        style: isHeld ? 'warn' : '',
        action: `${thread.path}later/`,
        text: content.type === 'text' ? (content.text?.body ?? '') : null,
        local: localOf(at > page.now ? at : new Date(page.now.getTime() + 3_600_000), zone),
        from: localOf(page.now, zone),
        zone,
      },
    ];
  });
}

/** What of a conversation says when it can be written to. */
interface Sendable {
  readonly active_till: string | null;
  readonly assigned_team_inbox: number | null;
}

/** The menu by which a message is sent later. */
export interface SendLaterView {
  /** Nothing can be sent now. */
  readonly isDisabled: boolean;
  readonly presets: readonly SnoozePreset[];
  readonly from: string;
  readonly local: string;
  readonly zone: string;
  /** What is done if the customer writes before, each with its words. */
  readonly policies: readonly { readonly value: string; readonly label: string; readonly isChosen: boolean }[];
}

/** What is done if the customer writes before, and its words. */
export const policyLabels: readonly (readonly [string, string])[] = [
  ['hold', 'Hold it, and tell me'],
  ['send', 'Send it all the same'],
  ['cancel', 'Discard it'],
];

/** Returns the times at which a message may be sent; free text goes while the window is open. */
export async function sendLaterView(
  page: PageRequest,
  conversation: Sendable,
  {
    isFreeText,
    isDisabled,
    given,
  }: { readonly isFreeText: boolean; readonly isDisabled: boolean; readonly given: Readonly<Record<string, string>> },
): Promise<SendLaterView> {
  const zone = page.workspace.timezone;
  const presets = [...laterPresets(page.now, zone), ...(await openingPreset(page, conversation))];
  const until = isFreeText ? conversation.active_till : null;
  return {
    isDisabled,
    presets: presets.filter(({ ends }) => until === null || ends < until),
    from: localOf(page.now, zone),
    local: given['send_local'] ?? localOf(new Date(page.now.getTime() + 3_600_000), zone),
    zone,
    policies: policyLabels.map(([value, label]) => ({
      value,
      label,
      isChosen: value === (given['if_customer_writes'] ?? 'hold'),
    })),
  };
}

async function openingPreset(
  page: PageRequest,
  conversation: Sendable,
): Promise<(SnoozePreset & { readonly ends: string })[]> {
  const hours = (await readHours(page.ctx))(conversation.assigned_team_inbox);
  const now = await dueNow(page.ctx.runtime);
  const opening = hours === null || hours.time.isOpenAt(now) ? null : hours.time.nextOpening(now);
  if (opening === null) return [];
  const detail = formatMoment(opening, page.workspace.timezone, 'full', now);
  return [{ label: 'When we open', detail, value: 'opening', ends: opening.toISOString() }];
}

/** Reads when the form wants a message to be sent; nothing: at once. */
export function readSendAt(page: PageRequest): Record<string, string> {
  const { send_at: at = '', if_customer_writes: policy } = page.form;
  if (at === '') return {};
  return { send_at: at === 'local' ? localMoment(page) : at, ...(policy ? { if_customer_writes: policy } : {}) };
}

/** Returns the moment that a form names by the clock of the workspace's time zone. */
export function localMoment(page: PageRequest): string {
  const local = page.form['send_local'] ?? '';
  return momentOfLocal(local, page.workspace.timezone)?.toISOString() ?? local;
}
