import { AppError } from '../../../core/http/errors';
import { cursorAt } from '../../../core/http/paging';
import type { AnswerOf } from '../../../core/http/shapes';
import { activityShape } from '../../../services/resources/conversations/activity';
import { commentShape } from '../../../services/resources/tickets/serializer';
import { activityLines } from '../activity';
import type { TagView } from '../fieldViews';
import { Icon, type Html } from '../html';
import { authorOf, snippetOf } from '../snippets';
import { Text } from '../text';
import { textParts } from '../texts';
import type { PageRequest } from '../page';
import { Tag } from '../parts';
import { Face } from '../people';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { newestMessages, type Message } from '../lookups';
import { ticketPath, type Ticket } from './read';

const { stream: said } = words.tickets;

/** A comment as its operation gives it. */
export type Comment = AnswerOf<typeof commentShape>;

/** How many comments and how many events are read for a page. */
const entriesRead = 100;
/** How many of the customer's conversation stand in the newest page: more of it is one link away. */
const messagesShown = 10;
const afterAll = new Date('9999-01-01');

/** A comment, a message, or something that happened. */
interface Entry {
  /** Its id in the page. */
  readonly id: string;
  readonly who: string;
  /** Whose face stands beside it; null: of a program. */
  readonly face: number | null;
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
interface StreamData {
  /** Of what news it is shown anew. */
  readonly follows: string;
  readonly entries: readonly Entry[];
  /** The page of what was before; null: that is all. */
  readonly earlier: string | null;
  /** The page of the newest; null: this is it. */
  readonly newest: string | null;
}

/** Draws the stream of a ticket: the newest of it, or what was before the moment that the address says. */
export async function streamPart(
  page: PageRequest,
  ticket: Ticket,
  names: Parameters<typeof activityLines>[2],
  members: StreamGiven['members'],
): Promise<Html> {
  return <Stream page={page} stream={await loadStream(page, ticket, names)} members={members} />;
}

interface StreamGiven {
  readonly page: PageRequest;
  readonly stream: StreamData;
  /** Those whom comments can mention. */
  readonly members: NonNullable<Parameters<typeof textParts>[1]>;
}

function Stream({ page, stream, members }: StreamGiven): Html {
  const { follows, entries, earlier, newest } = stream;
  return (
    <div id="stream" data-follows={follows}>
      <More href={earlier} text={said.earlier} />
      <ol class="trail">
        {entries.map((entry) =>
          entry.what ? <Happened page={page} entry={entry} /> : <Said page={page} entry={entry} members={members} />,
        )}
      </ol>
      <More href={newest} text={said.newest} />
    </div>
  );
}

function More({ href, text }: { readonly href: string | null; readonly text: string }): Html {
  if (href === null) return <></>;
  return (
    <p>
      <a class="button button-small" href={href}>
        {text}
      </a>
    </p>
  );
}

interface EntryGiven {
  readonly page: PageRequest;
  readonly entry: Entry;
}

function Happened({ page, entry: { id, who, what, at, details } }: EntryGiven): Html {
  return (
    <li id={id} class="small">
      <p>
        <strong>{who}</strong> {what} <span class="soft">{page.timePart(at, 'full')}</span>
      </p>
      {details.map((detail) => (
        <p class="soft">{detail}</p>
      ))}
    </li>
  );
}

function Said({ page, entry, members }: EntryGiven & Pick<StreamGiven, 'members'>): Html {
  const { id, who, face, at, tag, text, message } = entry;
  return (
    <li id={id} class={`said ${message ? 'said-outside' : ''}`}>
      <p class="by">
        {face === null ? (
          <span class="avatar face-small" aria-hidden="true">
            <Icon name="bot" />
          </span>
        ) : (
          <Face id={face} name={who} size="small" />
        )}
        <strong>{who}</strong>
        <span class="soft small">{page.timePart(at, 'full')}</span>
        {tag && <Tag {...tag} />}
        {message && (
          <a class="small" href={message}>
            {said.inConversation}
          </a>
        )}
      </p>
      <p class="pre" dir="auto">
        {message ? text : <Text parts={textParts(text, members)} />}
      </p>
    </li>
  );
}

async function loadStream(
  page: PageRequest,
  ticket: Ticket,
  names: Parameters<typeof activityLines>[2],
): Promise<StreamData> {
  // A conversation has the id of its contact.
  const customer = ticket.receiver === null ? '' : `, conversation ${ticket.receiver}`;
  const follows = `ticket ${ticket.id}${customer}`;
  const asked = new Date(page.query['before'] ?? Number.NaN);
  const isNewest = Number.isNaN(asked.getTime());
  const before = isNewest ? afterAll : asked;
  const read = { ticket_id: ticket.id, page_size: entriesRead };
  const [messages, comments, events] = await Promise.all([
    isNewest ? messageViews(page, ticket) : [],
    readPage(page, commentShape, 'ticketComments.list', { ...read, cursor: cursorAt('created_at', before, 0, true) }),
    readPage(page, activityShape, 'tickets.activity', { ...read, cursor: cursorAt('-created_at', before, 0) }),
  ]);
  const lines = activityLines(page, events.items, names);
  const happened = events.items.flatMap(({ id, kind }, index) => {
    const line = lines[index];
    // A comment stands for itself.
    return line && kind !== 'comment_added'
      ? [{ ...line, id: `event-${id}`, face: null, tag: null, text: '', message: null }]
      : [];
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

function commentView({ id, body, created_at: at, author, is_internal: isInternal }: Comment): Entry {
  return {
    id: `comment-${id}`,
    who: author ? author.name || author.email : said.program,
    face: author?.id ?? null,
    what: '',
    at,
    tag: isInternal ? null : { text: said.answered, style: 'tag-good' },
    text: body,
    message: null,
    details: [],
  };
}

/** Reads what the customer and the team wrote to each other last, for who may read it. */
async function messageViews(page: PageRequest, ticket: Ticket): Promise<Entry[]> {
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
    face: message.direction === 'inbound' ? ticket.receiver : (message.send_by?.id ?? null),
    what: '',
    at: message.created_at,
    tag: messageTag(message),
    text: snippetOf(message),
    message: page.link(`/dashboard/inbox/${encodeURIComponent(receiver)}/`, { at: message.id }),
    details: [],
  }));
}

function messageTag({ direction, message_status: status }: Message): TagView {
  if (direction === 'inbound') return { text: said.customer, style: 'tag-accent' };
  return status === 'failed' ? { text: said.notSent, style: 'tag-bad' } : { text: said.toCustomer, style: '' };
}
