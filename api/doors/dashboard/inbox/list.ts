import { namesOf } from '../../../services/identity/members/service';
import { formatDuration, initialOf } from '../formats';
import { tagsOf } from '../forms';
import type { IconName } from '../icons';
import type { PageRequest } from '../page';
import { listQuery, type InboxFilters } from './filters';
import { titleOf, type List, type WireConversation } from './load';
import { snippetOf } from './snippets';

/** A sign at a row of the list. */
interface MarkView {
  readonly style: string;
  readonly icon: IconName;
  readonly words: string;
}

/** A conversation as a row of the list. */
interface ListItem {
  readonly id: number;
  readonly receiver: string;
  readonly href: string;
  readonly isOpen: boolean;
  readonly title: string;
  /** The letter of its person, and the colour behind it. */
  readonly avatar: { readonly letter: string; readonly style: string };
  /** The first tags of the person. */
  readonly tags: readonly string[];
  readonly style: string;
  readonly snippet: string;
  /** The last message is ours: it failed, or went out. */
  readonly ours: 'failed' | 'sent' | null;
  /** How long its customer has waited for an answer, and since when; null when no answer is due. */
  readonly waits: { readonly long: string; readonly since: string; readonly style: string } | null;
  readonly at: string | null;
  readonly marks: readonly MarkView[];
  /** Whose it is: the letter of the member, and in words; null: nobody's. */
  readonly owner: { readonly letter: string; readonly words: string } | null;
  /** Until when it is snoozed, where the customer wrote meanwhile. */
  readonly wroteWhileSnoozed: string | null;
  /** How many messages are unread, as it is shown. */
  readonly unread: string;
}

/** More unread messages than this are not counted for the eye. */
const maxUnreadShown = 99;
const tagsShown = 2;
/** Colours of avatars (inbox.css): the eye finds a person again by theirs. */
const hues = 6;

function itemOf(
  page: PageRequest,
  item: WireConversation,
  filters: InboxFilters,
  owners: ReadonlyMap<number, string>,
): ListItem {
  const { receiver_id: receiver, last_message: last, waiting_since: since, unread_count: unread } = item;
  const waits = waitOf(item, page.now);
  const title = titleOf(item);
  const wrote = item.conv_status === 'snoozed' && since !== null;
  return {
    id: item.id,
    receiver,
    href: page.link(`/dashboard/inbox/${encodeURIComponent(receiver)}/`, filters),
    isOpen: page.params['receiver'] === receiver,
    title,
    avatar: { letter: initialOf(title), style: `hue-${item.contact_id % hues}` },
    tags: (tagsOf(item.tags) ?? []).slice(0, tagsShown),
    style: unread === 0 ? '' : 'is-unread',
    snippet: last ? snippetOf(last) : 'No messages yet',
    ours: last?.direction !== 'outbound' ? null : last.message_status === 'failed' ? 'failed' : 'sent',
    waits:
      waits === null ? null : { long: waits, since: page.moment(since), style: item.sla_breached ? 'is-late' : '' },
    at: item.last_exchange_at ?? item.last_message_at,
    marks: marksOf(page, item, wrote),
    owner: ownerOf(page, item, owners),
    wroteWhileSnoozed: wrote ? page.moment(item.snoozed_until) : null,
    unread: unread === 0 ? '' : unread > maxUnreadShown ? `${maxUnreadShown}+` : String(unread),
  };
}

function ownerOf(
  page: PageRequest,
  { assigned_member: id }: WireConversation,
  owners: ReadonlyMap<number, string>,
): ListItem['owner'] {
  if (id === null) return null;
  // Who may not read the team sees that it is somebody's.
  const name = owners.get(id) ?? '';
  if (id !== page.member.id) return { letter: initialOf(name) || '?', words: `Assigned to ${name || 'somebody else'}` };
  return { letter: initialOf(page.member.name || page.member.email), words: 'Assigned to you' };
}

function marksOf(page: PageRequest, item: WireConversation, wroteWhileSnoozed: boolean): MarkView[] {
  const { priority, conv_status: status } = item;
  return [
    ...(priority === 'urgent' || priority === 'high'
      ? [{ style: `mark-${priority}`, icon: 'flag' as const, words: `Priority: ${priority}` }]
      : []),
    ...(item.sla_breached ? [{ style: 'mark-urgent', icon: 'timer' as const, words: 'A deadline was missed' }] : []),
    ...(status === 'snoozed' && !wroteWhileSnoozed
      ? [{ style: '', icon: 'clock' as const, words: `Snoozed until ${page.moment(item.snoozed_until)}` }]
      : []),
    ...(status === 'resolved' || status === 'converted' ? [{ style: '', icon: 'check' as const, words: status }] : []),
  ];
}

/** The list beside the thread. */
interface ListView {
  readonly items: readonly ListItem[];
  /** How many there are, as it is shown. */
  readonly count: string;
  readonly older: string | null;
  readonly newer: string | null;
}

const listSize = 40;
/** The inbox counts no further: larger numbers help no reader, and every page and change would have to count. */
const maxCounted = 1_000;

/** Loads the conversations that the filters ask for. */
export async function loadList(page: PageRequest, filters: InboxFilters): Promise<ListView> {
  const { cursor: _cursor, ...kept } = filters;
  const query = { ...listQuery(page, filters), page_size: listSize };
  const list = await page.call<List<WireConversation>>('conversations.list', query, { countsUpTo: maxCounted });
  const ids = new Set(list.items.flatMap(({ assigned_member: id }) => id ?? []));
  const owners = page.can('team.view') ? await namesOf(page.ctx, [...ids]) : new Map<number, string>();
  const neighbour = (cursor: Record<string, string> | null): string | null =>
    cursor && page.link('/dashboard/inbox/', { ...kept, cursor: cursor['cursor'] });
  return {
    items: list.items.map((item) => itemOf(page, item, kept, owners)),
    count: countText(list.count),
    older: neighbour(list.next),
    newer: neighbour(list.previous),
  };
}

function waitOf({ waiting_since: since }: WireConversation, now: Date): string | null {
  if (since === null) return null;
  const waited = now.getTime() - new Date(since).getTime();
  return waited < 60_000 ? 'now' : formatDuration(waited);
}

/** Counts who waits in a view. */
export async function countWaitingIn(page: PageRequest, view: string): Promise<number> {
  // A customer who waits has written, so this filter is left out: the index of waiting conversations is enough.
  const { has_exchange: _written, ordering: _order, ...query } = listQuery(page, { view });
  const input = { ...query, waiting: 'true', page_size: 1 };
  const { count } = await page.call<List<unknown>>('conversations.list', input, { countsUpTo: maxCounted });
  return count ?? 0;
}

/** Writes a number that is not counted further than it is read. */
export function countText(count = 0): string {
  return count < maxCounted ? String(count) : `${maxCounted - 1}+`;
}
