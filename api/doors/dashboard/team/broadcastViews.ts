import { broadcastStatuses } from '../../../../models/enums';
import type { Page } from '../../../core/http/operations';
import { pagerView, sentence, statusTag, type PagerView, type TabView, type TagView } from '../fieldViews';
import { amountText, moneyText, numberText } from '../formats';
import { previewTemplate } from '../inbox/templates';
import { loadTemplates, type Json } from '../lookups';
import type { PageRequest } from '../page';

export const broadcastsPath = '/dashboard/broadcasts/';

/** A broadcast as its operation gives it. */
export interface Broadcast extends Json {
  readonly id: number;
  readonly name: string;
  readonly status: (typeof broadcastStatuses)[number];
  readonly template_name: string | null;
  readonly paused_reason: string;
  readonly failure_reason: string;
  readonly queued_behind: number | null;
  readonly scheduled_at: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly updated_at: string;
  readonly stats: Stats;
}

type Counts = Readonly<Record<string, number>>;

/** Its live numbers. */
export interface Stats {
  readonly audience: number;
  readonly pending: number;
  readonly sent: number;
  readonly delivered: number;
  readonly read: number;
  readonly failed: number;
  readonly skipped: number;
  readonly unknown: number;
  readonly held: number;
  readonly skipped_by_reason: Counts;
  readonly failed_by_code: Counts;
}

/** What the reasons and codes mean to a member. */
const reasonWords: Readonly<Record<string, string>> = {
  opted_out: 'opted out of marketing messages',
  needs_phone: 'has no phone number, which this template needs',
  duplicate: 'was named twice',
  contact_deleted: 'was deleted',
  ended_by_operator: 'was not sent to when the operator ended the broadcast',
};

/** Returns what a reason for leaving somebody out means to a member. */
export function reasonText(reason: string): string {
  return reasonWords[reason] ?? reason.replaceAll('_', ' ');
}

/** Returns the ways to all of a list and to those in each state. */
export function stateTabs(
  page: PageRequest,
  path: string,
  states: readonly string[],
  chosen: string | undefined,
): TabView[] {
  return [
    { label: 'All', href: path, isCurrent: chosen === undefined },
    ...states.map((status) => ({
      label: sentence(status),
      href: page.link(path, { status }),
      isCurrent: status === chosen,
    })),
  ];
}

/** The list of broadcasts. */
interface ListView {
  readonly rows: readonly RowView[];
  readonly tabs: readonly TabView[];
  readonly none: string;
  readonly pager: PagerView | null;
  readonly path: string;
}

/** A broadcast as a row of the list. */
interface RowView {
  readonly name: string;
  readonly path: string;
  readonly template: string;
  /** How far it is, and since when. */
  readonly progress: string;
  readonly at: string | null;
  readonly state: TagView;
}

/** Builds the list. */
export function listView(page: PageRequest, list: Page<Broadcast>, status: string | undefined): ListView {
  return {
    rows: list.items.map(rowView),
    tabs: stateTabs(page, broadcastsPath, broadcastStatuses, status),
    none: status === undefined ? 'No broadcasts yet' : 'No broadcasts here',
    pager: pagerView(list, broadcastsPath, { status }),
    path: broadcastsPath,
  };
}

function rowView(broadcast: Broadcast): RowView {
  const { id, name, status, stats } = broadcast;
  const base = {
    name,
    path: `${broadcastsPath}${id}/`,
    template: broadcast.template_name ?? 'template is gone',
    state: statusTag(status, broadcast.paused_reason ? 'paused' : status),
  };
  if (status === 'scheduled') return { ...base, progress: 'at', at: broadcast.scheduled_at };
  if (status === 'draft') return { ...base, progress: 'changed', at: broadcast.updated_at };
  const failed = stats.failed > 0 ? `, ${numberText(stats.failed)} failed` : '';
  const sent = `${numberText(stats.sent)} of ${numberText(stats.audience)} sent${failed}`;
  return { ...base, progress: broadcast.started_at === null ? sent : `${sent} ·`, at: broadcast.started_at };
}

function leftOutTexts(counts: Counts): string[] {
  return Object.entries(counts).map(([reason, count]) => `${numberText(count)} left out: ${reasonText(reason)}`);
}

/** Whom the stored draft would reach, and what they would read. */
interface PreviewView {
  /** What is said instead of it; empty: nothing. */
  readonly instead: string;
  /** What forbids to say it; empty: nothing. */
  readonly problem: string;
  readonly sendable: number;
  readonly count: string;
  readonly words: string;
  /** The reason why not all can be reached; empty when there is none. */
  readonly warning: string;
  readonly remarks: readonly string[];
  readonly samples: readonly { readonly to: string; readonly header: string; readonly body: string }[];
  /** What every customer sees below the text. */
  readonly footer: string;
  readonly buttons: readonly string[];
}

const empty: PreviewView = {
  instead: '',
  problem: '',
  sendable: 0,
  count: '',
  words: '',
  warning: '',
  remarks: [],
  samples: [],
  footer: '',
  buttons: [],
};

interface Seen {
  readonly sendable: number;
  readonly estimate: { readonly billable: number; readonly cost: number | null; readonly currency: string | null };
  readonly messaging_limit: { readonly limit: number | null; readonly used_24h: number; readonly over_by: number };
  readonly skipped_by_reason: Counts;
  readonly samples: readonly {
    readonly receiver_id: string;
    readonly name: string;
    readonly header: string;
    readonly body: string;
  }[];
}

/** Builds the preview of a stored draft; of one that is not stored, or was refused, it says what comes first. */
export async function loadPreview(
  page: PageRequest,
  broadcast: Broadcast | null,
  isRefused = false,
): Promise<PreviewView> {
  if (isRefused) return { ...empty, instead: 'Mend what is marked, then the count comes back.' };
  if (!broadcast || !page.may('broadcasts.preview'))
    return { ...empty, instead: 'Save the draft to see how many contacts it reaches and what they read.' };
  const [seen, templates] = await Promise.all([
    page.attempt(() => page.call<Seen>('broadcasts.preview', { id: broadcast.id })),
    loadTemplates(page),
  ]);
  if ('errors' in seen) return { ...empty, problem: Object.values(seen.errors).flat().join(' ') };
  const template = templates.find(({ template_id: id }) => id === broadcast['template_id']);
  const { footer, buttons } = previewTemplate(template?.components, {});
  const { sendable, skipped_by_reason: skipped, samples, estimate } = seen.value;
  return {
    ...empty,
    sendable,
    count: numberText(sendable),
    words: sendable === 1 ? 'contact gets it' : 'contacts get it',
    warning: limitText(seen.value.messaging_limit),
    remarks: [
      costText(estimate),
      ...leftOutTexts(skipped),
      ...(sendable === 0 ? ['Nobody fits. Change the audience.'] : []),
    ],
    samples: samples.map(({ name, receiver_id: receiver, header, body }) => ({ to: name || receiver, header, body })),
    footer,
    buttons,
  };
}

function costText({ billable, cost, currency }: Seen['estimate']): string {
  const count = `The platform is expected to charge ${amountText(billable, 'message')}`;
  return cost === null || currency === null
    ? `${count}; no rate says what that costs`
    : `${count}, ${moneyText(cost, currency)}`;
}

function limitText({ limit, used_24h: used, over_by: over }: Seen['messaging_limit']): string {
  if (limit === null || over === 0) return '';
  return (
    `About ${numberText(over)} of them will not get it today: the messaging limit is ${numberText(limit)} customers ` +
    `in 24 hours, and ${numberText(used)} have been written to.`
  );
}

/** Returns what the button of the confirmation does when it sends now. */
export function sendWords({ sendable }: PreviewView): string {
  if (sendable === 0) return 'Send now';
  return `Send to ${sendable === 1 ? 'one contact' : amountText(sendable, 'contact')} now`;
}
