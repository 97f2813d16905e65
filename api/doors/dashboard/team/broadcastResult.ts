import { shownStates } from '../../../services/resources/broadcasts/schema';
import type { Page } from '../../../core/http/operations';
import { sendCsv } from '../csvFile';
import { pagerView, sentence, statusTag, type PagerView, type TabView, type TagView } from '../fieldViews';
import { numberText } from '../formats';
import { adviceOn } from '../inbox/failures';
import type { Handled, PageRequest } from '../page';
import { broadcastsPath, reasonText, stateTabs, type Broadcast, type Stats } from './broadcastViews';

/** A broadcast on its way or at its end, in figures. */
interface ProgressView {
  readonly own: string;
  readonly state: TagView;
  readonly template: string;
  /** When it goes out, began and ended. */
  readonly moments: readonly { readonly words: string; readonly at: string; readonly rest: string }[];
  /** The one that is sent before it from the same number. */
  readonly behind: { readonly href: string; readonly text: string } | null;
  readonly failure: string;
  readonly pause: string;
  readonly mayUnschedule: boolean;
  /** The address that the page reloads by itself, and after how many seconds; null when nothing changes any more. */
  readonly follow: { readonly href: string; readonly seconds: number } | null;
  /** Null: nothing is sent yet. */
  readonly course: CourseView | null;
}

interface CourseView {
  readonly percent: number;
  /** How many came how far: each step is a part of the one before it. */
  readonly funnel: readonly FunnelStep[];
  /** Those who did not get it, by the reason. */
  readonly losses: readonly Loss[];
  /** What is still open. */
  readonly remarks: readonly string[];
  /** The file of those whom it failed to reach; null: there are none. */
  readonly failuresFile: string | null;
  readonly mayResend: boolean;
  readonly tabs: readonly TabView[];
  readonly recipients: readonly RecipientView[];
  readonly pager: PagerView | null;
}

/** One step of the funnel. */
interface FunnelStep {
  readonly label: string;
  readonly count: string;
  /** Of all recipients; empty where there are none. */
  readonly share: string;
  /** The same for the bar. */
  readonly percent: number;
}

/** Recipients who did not get it for one reason. */
interface Loss {
  readonly state: TagView;
  readonly why: string;
  readonly count: string;
  readonly share: string;
}

/** A recipient as its operation gives it. */
export interface Recipient {
  readonly contact: number | null;
  readonly receiver_id: string | null;
  readonly name: string;
  readonly status: string;
  readonly message_status: string;
  readonly reason: string;
  readonly error_code: number | null;
  readonly updated_at: string;
}

/** A recipient as a row of the list. */
interface RecipientView {
  readonly id: string;
  readonly name: string;
  /** Their conversation, where the member may see it. */
  readonly href: string | null;
  readonly state: TagView;
  readonly why: string;
  readonly at: string;
}

const nobodyKnows = 'nobody can tell whether it was sent; it is not sent again';

function recipientView(page: PageRequest, recipient: Recipient): RecipientView {
  const { receiver_id: receiver, name, status, reason, error_code: code } = recipient;
  return {
    // Who was chosen twice has a second row.
    id: `recipient-${recipient.contact}${reason === 'duplicate' ? '-again' : ''}`,
    name: name || receiver || 'erased',
    href: receiver && page.can('chat.view') ? `/dashboard/inbox/${encodeURIComponent(receiver)}/` : null,
    state: statusTag(status, status === 'sent' ? recipient.message_status || 'sent' : status),
    why: [
      ...(reason ? [reasonText(reason)] : []),
      ...(code !== null || (status === 'failed' && !reason) ? [failureText(code)] : []),
      ...(status === 'unknown' ? [nobodyKnows] : []),
    ].join(' '),
    at: recipient.updated_at,
  };
}

/** Builds the page of a broadcast that is no draft. */
export function progressView(
  page: PageRequest,
  broadcast: Broadcast,
  recipients: Page<Recipient>,
  status: string | undefined,
): ProgressView {
  const own = `${broadcastsPath}${broadcast.id}/`;
  const { queued_behind: behind } = broadcast;
  const seconds = broadcast.status === 'running' ? 2 : broadcast.status === 'scheduled' ? 15 : null;
  return {
    own,
    state: statusTag(broadcast.status),
    template: broadcast.template_name ?? 'The template is gone',
    moments: momentsOf(page, broadcast),
    behind: behind === null ? null : { href: `${broadcastsPath}${behind}/`, text: `broadcast ${behind}` },
    failure: broadcast.failure_reason,
    pause: broadcast.paused_reason,
    mayUnschedule: broadcast.status === 'scheduled' && page.may('broadcasts.unschedule'),
    follow: seconds === null ? null : { href: page.link(own, { status }), seconds },
    course: broadcast.status === 'scheduled' ? null : courseView(page, broadcast, recipients, status),
  };
}

function momentsOf(page: PageRequest, broadcast: Broadcast): ProgressView['moments'] {
  const { status, scheduled_at: due, started_at: began, completed_at: ended } = broadcast;
  const moment = (words: string, at: string | null, rest = '') => (at === null ? [] : [{ words, at, rest }]);
  return [
    ...(status === 'scheduled' ? moment('goes out', due, `, in ${page.remaining(due)}`) : moment('began', began)),
    ...moment('ended', ended),
  ];
}

function courseView(
  page: PageRequest,
  { id, stats, completed_at: ended }: Broadcast,
  recipients: Page<Recipient>,
  status: string | undefined,
): CourseView {
  const own = `${broadcastsPath}${id}/`;
  const { audience, pending, failed, held } = stats;
  const step = (label: string, count: number): FunnelStep => ({
    label,
    count: numberText(count),
    share: shareOf(count, audience),
    percent: percentOf(count, audience),
  });
  const open = (count: number, words: string): string[] => (count > 0 ? [`${numberText(count)} ${words}`] : []);
  return {
    percent: percentOf(audience - pending, audience),
    funnel: [
      step('Recipients', audience),
      step('Sent', stats.sent),
      step('Delivered', stats.delivered),
      step('Read', stats.read),
    ],
    losses: lossesOf(stats),
    remarks: [
      ...open(pending, ended === null ? 'still wait' : 'were not sent to'),
      ...open(held, 'sent, and held by the platform until it has looked at the template'),
    ],
    failuresFile: failed > 0 ? `${own}failures/` : null,
    mayResend:
      ended !== null &&
      failed + pending + (stats.skipped_by_reason['ended_by_operator'] ?? 0) > 0 &&
      page.may('broadcasts.resend'),
    tabs: stateTabs(page, own, shownStates, status),
    recipients: recipients.items.map((recipient) => recipientView(page, recipient)),
    pager: pagerView(recipients, own, { status }),
  };
}

function percentOf(count: number, all: number): number {
  return all === 0 ? 0 : Math.round((count / all) * 100);
}

/** Returns a share as people read it: a few of many are not none, and nearly all are not all. */
function shareOf(count: number, all: number): string {
  if (all === 0) return '';
  const percent = percentOf(count, all);
  if (percent === 0 && count > 0) return '<1%';
  return percent === 100 && count < all ? '>99%' : `${percent}%`;
}

/** Groups those who did not get it by the reason, the most frequent first. */
function lossesOf({ audience, unknown, failed_by_code: codes, skipped_by_reason: reasons }: Stats): readonly Loss[] {
  const found = [
    ...Object.entries(codes).map(([code, count]) => ({
      state: 'failed',
      why: failureText(code === 'none' ? null : Number(code)),
      count,
    })),
    ...Object.entries(reasons).map(([reason, count]) => ({ state: 'skipped', why: reasonText(reason), count })),
    ...(unknown > 0 ? [{ state: 'unknown', why: nobodyKnows, count: unknown }] : []),
  ];
  return found
    .sort((one, other) => other.count - one.count)
    .map(({ state, why, count }) => ({
      state: statusTag(state),
      why: sentence(why),
      count: numberText(count),
      share: shareOf(count, audience),
    }));
}

/** Returns what a failure with a code of the platform means; null: without a code. */
function failureText(code: number | null): string {
  if (code === null) return 'the platform named no code';
  return `${adviceOn(code) || 'the platform refused it'} (${code})`;
}

/** Writes those whom a broadcast failed to reach into a file. */
export function sendFailures(page: PageRequest): Promise<Handled> {
  const { id = '' } = page.params;
  const columns = ['contact', 'name', 'error_code', 'meaning', 'at'];
  return sendCsv<Recipient>(
    page,
    {
      name: `broadcast-${id}-failures`,
      columns,
      cellsOf: ({ receiver_id: receiver, name, error_code: code, updated_at: at }) => [
        receiver,
        name,
        code,
        adviceOn(code ?? 0),
        at,
      ],
    },
    // Their number is not shown, and each page would count them again.
    (more) => page.call('broadcasts.recipients', { ...more, id, status: 'failed', page_size: 200 }, { countsUpTo: 1 }),
  );
}
