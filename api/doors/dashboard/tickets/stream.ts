import { cursorAt } from '../../../core/http/paging';
import { activityLines, type WireActivity } from '../activity';
import type { WirePage } from '../contacts/wire';
import type { TagView } from '../fieldViews';
import type { PageRequest } from '../page';
import { ticketPath, type WireComment, type WireTicket } from './wire';

/** How many comments and how many events are read for a page. */
const entriesRead = 100;
const afterAll = new Date('9999-01-01');

/** A comment, or something that happened. */
interface EntryView {
  /** Its id in the page. */
  readonly id: string;
  readonly who: string;
  /** What they did; empty: they commented. */
  readonly what: string;
  readonly at: string;
  readonly tag: TagView | null;
  /** What the comment says. */
  readonly text: string;
  readonly details: readonly string[];
}

/** What was said about a ticket and what happened to it, in the order of time. */
export interface StreamView {
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
  const asked = new Date(page.query['before'] ?? Number.NaN);
  const isNewest = Number.isNaN(asked.getTime());
  const before = isNewest ? afterAll : asked;
  const read = { ticket_id: ticket.id, page_size: entriesRead };
  const [comments, events] = await Promise.all([
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
    return line && kind !== 'comment_added' ? [{ ...line, id: `event-${id}`, tag: null, text: '' }] : [];
  });
  const all = [...happened.reverse(), ...comments.items.map(commentView)].sort((left, right) =>
    left.at < right.at ? -1 : left.at > right.at ? 1 : 0,
  );
  // Before the first entry of a list that goes on there may be others of it: the next page begins there.
  const ends = [comments.previous && comments.items[0], events.next && events.items.at(-1)].flatMap((entry) =>
    entry ? [entry.created_at] : [],
  );
  const end = ends.sort().at(-1);
  const path = ticketPath(ticket.id);
  const newest = isNewest ? null : `${path}#happened`;
  if (end === undefined) return { entries: all, earlier: null, newest };
  const later = all.filter(({ at }) => at > end);
  // All of one moment stand in one page.
  const next = later.length > 0 ? new Date(Date.parse(end) + 1) : new Date(end);
  return {
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
    details: [],
  };
}
