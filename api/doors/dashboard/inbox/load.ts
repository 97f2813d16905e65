import { notFound } from '../../../core/http/errors';
import { showInvisible } from '../../../core/http/invisible';
import { cursorAt } from '../../../core/http/paging';
import type { AnswerOf } from '../../../core/http/shapes';
import { namedByReceiver } from '../../../services/resources/contacts/handles';
import type { conversationShape } from '../../../services/resources/conversations/serializer';
import { markedUnread } from '../../../services/resources/conversations/unreadMarks';
import { formatDuration } from '../formats';
import { newestMessages } from '../lookups';
import type { PageRequest } from '../page';
import { words } from '../words';
import { readFilters } from './filters';
import { threadDays, type MessageView, type WireMessage } from './messages';
import { loadNotes, withNotes, type ThreadDay, type WireNote } from './notes';
import { approvedTemplates } from './templates';

/** A conversation as its operations give it. */
export type WireConversation = AnswerOf<typeof conversationShape>;

/** A list as its operation gives it. */
export interface List<T> {
  readonly items: readonly T[];
  readonly count?: number;
  readonly next: Record<string, string> | null;
  readonly previous: Record<string, string> | null;
}

/** How long the customer can be answered freely. */
interface WindowView {
  /** Null: not at all. */
  readonly left: string | null;
  readonly style: string;
}

/** A thread with what stands around it. */
export interface ThreadView {
  readonly conversation: WireConversation;
  readonly title: string;
  readonly days: readonly ThreadDay[];
  /** The member has marked it as unread, and not looked at it since. */
  readonly isMarked: boolean;
  /** Whether no message was exchanged yet. */
  readonly isEmpty: boolean;
  /** Another application took part in what is shown. */
  readonly isShared: boolean;
  readonly span: SpanView;
  /** The id of its newest message, shown or not; empty: there is none. */
  readonly newestId: string;
  readonly earlier: MoreView | null;
  readonly later: MoreView | null;
  /** Messages that wait to be sent, below the newest ones. */
  readonly waiting: readonly { readonly message: WireMessage; readonly shown: MessageView }[];
  /** The message whose text is shown to its end, however long it is. */
  readonly whole: string;
  readonly window: WindowView;
  readonly isWindowOpen: boolean;
  readonly path: string;
}

/** Which messages of a thread are shown: the newest, from `since` on; or some around `at`. As texts of the page. */
interface SpanView {
  readonly size: string;
  readonly since: string;
  /** The `since` that was asked for. */
  readonly asked: string;
  readonly at: string;
  /** The thread with its newest messages. */
  readonly newest: string;
}

/** Messages before or after those that are shown: a page of its own, and the address of them alone. */
export interface MoreView {
  readonly label: string;
  readonly href: string;
  readonly part: string;
  /** The message that they lie beside. */
  readonly edge: number;
}

const firstMessages = 30;
/** Of a list. */
const maxMessages = 200;
const moreMessages = 50;
/** The most messages that are appended to a shown page; when there are more, it starts again with the newest. */
const maxNewMessages = 20;
const shortWindowMs = 2 * 3_600_000;
const newestFirst = '-created_at';

type Messages = Pick<List<WireMessage>, 'items' | 'next' | 'previous'>;

/** Loads a conversation with its newest messages, or with those around the one that the address names. */
export async function loadThread(page: PageRequest, receiver: string): Promise<ThreadView> {
  const at = Number(page.query['at']) || 0;
  const [conversation, messages, end, notes, waiting] = await Promise.all([
    page.call<WireConversation>('conversations.get', { receiver_id: receiver }),
    at > 0 ? loadAround(page, receiver, at) : loadNewest(page, receiver),
    at > 0 ? newestMessages(page, receiver, 1) : null,
    loadNotes(page, receiver),
    at > 0 ? [] : page.call<readonly WireMessage[]>('messages.scheduled', { receiver_id: receiver }),
  ]);
  const left = windowLeft(page, conversation);
  const path = pathOf(conversation);
  const [oldest, newest] = [messages.items.at(-1), messages.items[0]];
  const span = {
    size: String(messages.items.length),
    since: at > 0 ? '' : String(oldest?.id ?? ''),
    asked: page.query['since'] ?? '',
    at: at > 0 ? String(at) : '',
    newest: page.link(path, readFilters(page.query)),
  };
  const [days, marked] = await Promise.all([
    daysOf(page, conversation, messages.items, notes, span, {
      from: messages.next ? oldest?.created_at : undefined,
      to: messages.previous ? newest?.created_at : undefined,
    }),
    markedUnread(page.ctx),
  ]);
  return {
    conversation,
    title: titleOf(conversation),
    days,
    isMarked: marked.includes(conversation.id),
    isEmpty: messages.items.length === 0,
    isShared: messages.items.some(({ standby, source }) => standby || source === 'other_app'),
    span,
    newestId: String((end ?? messages.items)[0]?.id ?? ''),
    earlier: messages.next && oldest ? moreOf(page, path, 'earlier', oldest) : null,
    later: at > 0 && messages.previous && newest ? moreOf(page, path, 'later', newest) : null,
    waiting: await waitingOf(page, conversation, waiting, span),
    whole: page.query['whole'] ?? '',
    window: {
      left: left > 0 ? formatDuration(left) : null,
      style: left <= 0 ? 'is-closed' : left < shortWindowMs ? 'is-short' : '',
    },
    isWindowOpen: left > 0,
    path,
  };
}

/** The newest messages; a page that is brought up to date gets all from its oldest one on. */
async function loadNewest(page: PageRequest, receiver: string): Promise<Messages> {
  const since = Number(page.query['since']) || 0;
  const shown = since > 0 ? Number(page.query['messages']) + maxNewMessages || 0 : 0;
  const list = await page.call<List<WireMessage>>('messages.list', {
    receiver_id: receiver,
    page_size: Math.min(maxMessages, Math.max(firstMessages, shown)),
    count: false,
  });
  const oldest = list.items.findIndex(({ id }) => id === since);
  const { next } = list;
  const edge = list.items[oldest];
  if (!edge) return list;
  return {
    items: list.items.slice(0, oldest + 1),
    next: next ?? (list.items.at(-1) === edge ? null : {}),
    previous: null,
  };
}

/** The message of the address, those before it and those after it. */
async function loadAround(page: PageRequest, receiver: string, at: number): Promise<Messages> {
  const message = await page.call<WireMessage & { receiver: { receiver_id: string } }>('messages.get', { id: at });
  const [before, after] = await Promise.all([
    // Its own place is the first of what follows a place that is a little later.
    listFrom(page, receiver, { id: at + 1, created_at: message.created_at }, false),
    listFrom(page, receiver, message, true),
  ]);
  if (before.items[0]?.id !== at) throw notFound();
  return { items: [...after.items, ...before.items], next: before.next, previous: after.previous };
}

async function listFrom(
  page: PageRequest,
  receiver: string,
  { id, created_at: time }: Pick<WireMessage, 'id' | 'created_at'>,
  isLater: boolean,
): Promise<List<WireMessage>> {
  const cursor = cursorAt(newestFirst, new Date(time), id, isLater);
  const query = { receiver_id: receiver, page_size: moreMessages, count: false, cursor };
  return page.call<List<WireMessage>>('messages.list', query);
}

/** More messages of a thread: those before or after a message that is shown. */
export interface MoreMessages {
  readonly title: string;
  readonly path: string;
  readonly isWindowOpen: boolean;
  readonly days: readonly ThreadDay[];
  readonly earlier: MoreView | null;
  readonly later: MoreView | null;
}

/** Loads the messages before or after the one that the address names. */
export async function loadMore(page: PageRequest, receiver: string, isLater: boolean): Promise<MoreMessages> {
  const edge = Number(page.query['edge']) || 0;
  const [conversation, message, notes] = await Promise.all([
    page.call<WireConversation>('conversations.get', { receiver_id: receiver }),
    page.call<WireMessage>('messages.get', { id: edge }),
    loadNotes(page, receiver),
  ]);
  const messages = await listFrom(page, receiver, message, isLater);
  const path = pathOf(conversation);
  const [oldest, newest] = [messages.items.at(-1), messages.items[0]];
  return {
    title: titleOf(conversation),
    path,
    isWindowOpen: windowLeft(page, conversation) > 0,
    days: await daysOf(
      page,
      conversation,
      messages.items,
      notes,
      { size: '', since: '', at: '' },
      {
        from: isLater ? message.created_at : messages.next ? oldest?.created_at : undefined,
        to: !isLater ? message.created_at : messages.previous ? newest?.created_at : undefined,
      },
    ),
    earlier: !isLater && messages.next && oldest ? moreOf(page, path, 'earlier', oldest) : null,
    later: isLater && messages.previous && newest ? moreOf(page, path, 'later', newest) : null,
  };
}

function moreOf(page: PageRequest, path: string, part: 'earlier' | 'later', { id }: WireMessage): MoreView {
  const filters = readFilters(page.query);
  return {
    label: part === 'earlier' ? words.thread.earlier : words.thread.laterMessages,
    href: `${page.link(path, { ...filters, at: id })}#m-${id}`,
    part: page.link(path, { ...filters, part, edge: id }),
    edge: id,
  };
}

async function daysOf(
  page: PageRequest,
  conversation: WireConversation,
  messages: readonly WireMessage[],
  notes: readonly WireNote[],
  span: Pick<SpanView, 'size' | 'since' | 'at'>,
  time: Parameters<typeof withNotes>[3],
): Promise<readonly ThreadDay[]> {
  const hasTemplates = messages.some(({ body }) => (body as { type?: unknown } | null)?.type === 'template');
  const templates = hasTemplates ? await approvedTemplates(page) : [];
  const isWindowOpen = windowLeft(page, conversation) > 0;
  const days = threadDays(page, messages, { path: pathOf(conversation), span, templates, isWindowOpen });
  return withNotes(page, days, notes, time);
}

/** Messages that wait are shown as what they will be. */
async function waitingOf(
  page: PageRequest,
  conversation: WireConversation,
  waiting: readonly WireMessage[],
  span: Pick<SpanView, 'size' | 'since' | 'at'>,
): Promise<ThreadView['waiting']> {
  if (waiting.length === 0) return [];
  const templates = await approvedTemplates(page);
  const thread = { path: pathOf(conversation), span, templates, isWindowOpen: windowLeft(page, conversation) > 0 };
  return waiting.flatMap((message) =>
    threadDays(page, [message], thread).flatMap(({ messages }) => messages.map((shown) => ({ message, shown }))),
  );
}

function windowLeft(page: PageRequest, { active_till: end }: WireConversation): number {
  return end ? new Date(end).getTime() - page.now.getTime() : 0;
}

/** Returns the address of a conversation's page. */
export function pathOf({ receiver_id: receiver }: Pick<WireConversation, 'receiver_id'>): string {
  return `/dashboard/inbox/${encodeURIComponent(receiver)}/`;
}

/** Returns what a person is called: their name, which they choose themselves, else how they are reached. */
export function titleOf(
  conversation: Pick<WireConversation, 'name' | 'phone_number' | 'receiver_id'> & Partial<WireConversation>,
): string {
  const { name, username, phone_number: phone, receiver_id: receiver } = conversation;
  return showInvisible(name) || (username ? `@${username}` : '') || (phone ? withPlus(phone) : receiver);
}

/** Returns what customers are called, by their `receiver_id`s, where the member may see them. */
export async function customerNames(
  page: PageRequest,
  receivers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (!page.can('chat.view')) return new Map();
  const known = await namedByReceiver(page.ctx, receivers);
  return new Map(known.map((one) => [one.receiver_id, titleOf({ ...one, phone_number: one.phone ?? '' })]));
}

/** Returns a phone number as people write it. */
export function withPlus(phone: string): string {
  return /^\d+$/.test(phone) ? `+${phone}` : phone;
}
