import { cursorAt } from '../../../core/http/paging';
import { AppError } from '../../../core/http/errors';
import { activityLines, type WireActivity } from '../activity';
import type { WirePage } from '../contacts/wire';
import type { TagView } from '../fieldViews';
import { newestMessages } from '../inbox/load';
import { authorOf, type WireMessage } from '../inbox/messages';
import { snippetOf } from '../inbox/snippets';
import type { PageRequest } from '../page';
import { ticketPath, type WireComment, type WireTicket } from './wire';

/** How many comments and how many events are read for a page. */
const entriesRead = 100;
/** How many of the customer's conversation stand in the newest page: more of it is one link away. */
const messagesShown = 10;
const afterAll = new Date('9999-01-01');

/** A comment, a message, or something that happened. */
interface EntryView {
  /** Its id in the page. */
  readonly id: string;
  readonly who: string;
  /** What they did; empty: they commented, or wrote to each other. */
  readonly what: string;
  readonly at: string;
  readonly tag: TagView | null;
  /** What the comment or the message says. */
  readonly text: string;
  /** Where the message stands in its conversation; null: it is none. */
  readonly message: string | null;
  readonly details: readonly string[];
}

/** What was said about a ticket and what happened to it, in the order of time. */
export interface StreamView {
  /** Of what news it is shown anew. */
  readonly follows: string;
  readonly entries: readonly EntryView[];
  /** The page of what was before; null: that is all. */
  readonly earlier: string | null;
  /** The page of the newest; null: this is it. */
  readonly newest: string | null;
}

/** Reads the stream of a ticket: the newest of it, or what was before the moment that the address says. */
export async function loadStream(
  page: PageRequest,
  ticket: WireTicket,
  names: Parameters<typeof activityLines>[2],
): Promise<StreamView> {
  // A conversation has the id of its contact.
  const customer = ticket.receiver === null ? '' : `, conversation ${ticket.receiver}`;
  const follows = `ticket ${ticket.id}${customer}`;
  const asked = new Date(page.query['before'] ?? Number.NaN);
  const isNewest = Number.isNaN(asked.getTime());
  const before = isNewest ? afterAll : asked;
  const read = { ticket_id: ticket.id, page_size: entriesRead };
  const [messages, comments, events] = await Promise.all([
    isNewest ? messageViews(page, ticket) : [],
    page.call<WirePage<WireComment>>('ticketComments.list', {
      ...read,
      cursor: cursorAt('created_at', before, 0, true),
    }),
    page.call<WirePage<WireActivity>>('tickets.activity', { ...read, cursor: cursorAt('-created_at', before, 0) }),
  ]);
  const lines = activityLines(page, events.items, names);
  const happened = events.items.flatMap(({ id, kind }, index) => {
    const line = lines[index];
    // A comment stands for itself.
    return line && kind !== 'comment_added' ? [{ ...line, id: `event-${id}`, tag: null, text: '', message: null }] : [];
  });
  const all = [...happened.reverse(), ...comments.items.map(commentView), ...messages].sort((left, right) =>
    left.at < right.at ? -1 : left.at > right.at ? 1 : 0,
  );
  // Before the first entry of a list that goes on there may be others of it: the next page begins there.
  const ends = [comments.previous && comments.items[0], events.next && events.items.at(-1)].flatMap((entry) =>
    entry ? [entry.created_at] : [],
  );
  const end = ends.sort().at(-1);
  const path = ticketPath(ticket.id);
  const newest = isNewest ? null : `${path}#happened`;
  if (end === undefined) return { follows, entries: all, earlier: null, newest };
  const later = all.filter(({ at }) => at > end);
  // All of one moment stand in one page.
  const next = later.length > 0 ? new Date(Date.parse(end) + 1) : new Date(end);
  return {
    follows,
    entries: later.length > 0 ? later : all,
    earlier: `${page.link(path, { before: next.toISOString() })}#happened`,
    newest,
  };
}

function commentView({ id, body, created_at: at, author, is_internal: isInternal }: WireComment): EntryView {
  return {
    id: `comment-${id}`,
    who: author ? author.name || author.email : 'A program',
    what: '',
    at,
    tag: isInternal ? null : { text: 'Answered', style: 'tag-good' },
    text: body,
    message: null,
    details: [],
  };
}

/** Reads what the customer and the team wrote to each other last, for who may read it. */
async function messageViews(page: PageRequest, ticket: WireTicket): Promise<EntryView[]> {
  const { receiver_phone: receiver, receiver_name: name } = ticket;
  if (receiver === null || !page.may('messages.list')) return [];
  const messages = await newestMessages(page, receiver, messagesShown).catch((error: unknown) => {
    // The customer has no conversation.
    if (error instanceof AppError && error.status === 404) return [];
    throw error;
  });
  return messages.map((message) => ({
    id: `message-${message.id}`,
    who: message.direction === 'inbound' ? name || receiver : authorOf(message),
    what: '',
    at: message.created_at,
    tag: messageTag(message),
    text: snippetOf(message),
    message: page.link(`/dashboard/inbox/${encodeURIComponent(receiver)}/`, { at: message.id }),
    details: [],
  }));
}

function messageTag({ direction, message_status: status }: WireMessage): TagView {
  if (direction === 'inbound') return { text: 'Customer', style: 'tag-accent' };
  return status === 'failed' ? { text: 'Not sent', style: 'tag-bad' } : { text: 'To the customer', style: '' };
}
