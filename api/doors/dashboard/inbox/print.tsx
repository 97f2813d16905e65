import { once } from 'node:events';
import { cursorAt } from '../../../core/http/paging';
import { requireRecent } from '../../../services/identity/apiKeys/authenticate';
import { recordSecurity } from '../../../services/identity/securityLog/service';
import { render, Icon, type Html } from '../html';
import { handled, type Handled, type PageAnswer, type PageRequest } from '../page';
import { words } from '../words';
import { approvedTemplates } from './templates';
import { pathOf, titleOf, type List, type WireConversation } from './load';
import { threadDays, type MessageView, type WireMessage } from './messages';
import { noteAuthorOf, type WireNote } from './notes';

const { print: said } = words.thread;

/** Messages that one page of paper, or one piece of a file, has at most. */
const pageSize = 200;
const newestFirst = '-created_at';

/** What somebody wrote, as paper and files show it. */
interface Line {
  readonly id: string;
  readonly at: string;
  readonly who: string;
  readonly texts: readonly string[];
  /** A picture of ours. */
  readonly picture: string | null;
  readonly isNote: boolean;
}

interface Part {
  readonly lines: readonly Line[];
  /** The message behind which there are more; null: none. */
  readonly edge: number | null;
}

/** Shows a conversation from its beginning, for paper. */
export async function showPrint(page: PageRequest): Promise<PageAnswer> {
  const conversation = await find(page);
  const edge = Number(page.query['edge']) || 0;
  const part = await partOf(page, conversation, edge > 0 ? await messageAt(page, conversation, edge) : null);
  const path = `${pathOf(conversation)}print/`;
  const { notes } = page.query;
  const title = titleOf(conversation);
  const to = (query: Readonly<Record<string, string | number | undefined>>): string =>
    page.link(path, { notes, edge: edge || undefined, ...query });
  return page.page(
    <div class="column printed">
      <nav class="row unprinted" aria-label={said.acts}>
        <a class="button" href={pathOf(conversation)}>
          <Icon name="arrow-left" />
          {said.back}
        </a>
        <button class="button button-main scripted-only" type="button" data-print>
          {said.print}
        </button>
        {page.may('notes.list') && (
          <a class="button" href={to({ notes: notes ? undefined : 'yes' })}>
            {notes ? said.withoutNotes : said.withNotes}
          </a>
        )}
        <a class="button" href={page.link(`${pathOf(conversation)}export/`, { notes, as: 'text' })}>
          <Icon name="download" />
          {said.asText}
        </a>
        <a class="button" href={page.link(`${pathOf(conversation)}export/`, { notes, as: 'html' })}>
          <Icon name="download" />
          {said.asHtml}
        </a>
      </nav>
      <h1>{title}</h1>
      <p class="soft">{said.about(title, conversation.phone_number, page.moment(page.now), page.workspace.timezone)}</p>
      <Lines page={page} lines={part.lines} />
      {part.edge !== null && (
        <p class="unprinted">
          <a class="button" href={to({ edge: part.edge })}>
            {said.next}
          </a>
        </p>
      )}
    </div>,
    { title: said.title(title), place: 'inbox', styles: ['inbox.css'] },
  );
}

function Lines({ page, lines }: { readonly page: PageRequest; readonly lines: readonly Line[] }): Html {
  if (lines.length === 0) return <p>{said.empty}</p>;
  return (
    <ol class="lines">
      {lines.map(({ id, at, who, texts, picture, isNote }) => (
        <li id={id} class={isNote ? 'line is-note' : 'line'}>
          <p class="line-head">
            <strong dir="auto">{who}</strong> <time datetime={at}>{page.moment(at)}</time>
          </p>
          {picture && <img class="media" src={picture} alt="" />}
          {texts.map((text) => (
            <p class="line-text" dir="auto">
              {text}
            </p>
          ))}
        </li>
      ))}
    </ol>
  );
}

/** Writes a conversation into a file, piece by piece. It leaves the house: it asks and is recorded as any export. */
export async function sendConversation(page: PageRequest): Promise<Handled> {
  requireRecent(page.credential);
  const conversation = await find(page);
  const isHtml = page.query['as'] === 'html';
  const notes = page.query['notes'] ? 'yes' : 'no';
  await recordSecurity(page.ctx, {
    action: 'conversations.export',
    subjectId: conversation.id,
    given: { as: isHtml ? 'html' : 'text', notes },
  });
  const { res } = page.req;
  if (!res) throw new Error('the request has no response');
  let part = await partOf(page, conversation, null);
  const day = page.now.toISOString().slice(0, 10);
  const title = titleOf(conversation);
  const head = said.about(title, conversation.phone_number, page.moment(page.now), page.workspace.timezone);
  res
    .status(200)
    .setHeader('Content-Type', `text/${isHtml ? 'html' : 'plain'}; charset=utf-8`)
    .setHeader(
      'Content-Disposition',
      `attachment; filename="conversation-${conversation.id}-${day}.${isHtml ? 'html' : 'txt'}"`,
    )
    .setHeader('X-Content-Type-Options', 'nosniff')
    .setHeader('Cache-Control', 'no-store');
  res.write(
    isHtml
      ? `<!doctype html><meta charset="utf-8">${render(
          <>
            <title>{title}</title>
            <h1>{title}</h1>
            <p>{head}</p>
          </>,
        )}`
      : `\uFEFF${title}\n${head}\n`,
  );
  for (;;) {
    const { lines, edge } = part;
    const text = isHtml
      ? render(<Lines page={page} lines={lines.map((line) => ({ ...line, picture: null }))} />)
      : lines.map((line) => plainLine(page, line)).join('');
    if (!res.write(text)) await Promise.race([once(res, 'drain'), once(res, 'close')]);
    if (edge === null || res.closed || res.destroyed) break;
    part = await partOf(page, conversation, await messageAt(page, conversation, edge));
  }
  res.end();
  return handled;
}

function plainLine(page: PageRequest, { at, who, texts }: Line): string {
  return `\n[${page.moment(at)}] ${who}\n${texts.map((text) => `${text}\n`).join('')}`;
}

function find(page: PageRequest): Promise<WireConversation> {
  return page.call<WireConversation>('conversations.get', { receiver_id: page.params['receiver'] ?? '' });
}

type Place = Pick<WireMessage, 'id' | 'created_at'>;

async function messageAt(page: PageRequest, { receiver_id: receiver }: WireConversation, id: number): Promise<Place> {
  const message = await page.call<WireMessage & { receiver: { receiver_id: string } }>('messages.get', { id });
  // Of another conversation: its beginning is as good a place as any.
  return message.receiver.receiver_id === receiver ? message : { id: 0, created_at: new Date(0).toISOString() };
}

/** Returns what was written behind a message, or from the beginning on, the oldest first. */
async function partOf(page: PageRequest, conversation: WireConversation, behind: Place | null): Promise<Part> {
  const from = behind?.created_at ?? new Date(0).toISOString();
  const { items, previous: later } = await page.call<List<WireMessage>>('messages.list', {
    receiver_id: conversation.receiver_id,
    page_size: pageSize,
    count: false,
    cursor: cursorAt(newestFirst, new Date(from), behind?.id ?? 0, true),
  });
  const templates = await approvedTemplates(page);
  const thread = {
    path: pathOf(conversation),
    span: { size: '', since: '', at: '' },
    templates,
    isWindowOpen: false,
  };
  const title = titleOf(conversation);
  const messages = threadDays(page, items, thread).flatMap((day) => day.messages.map((one) => lineOf(one, title)));
  const last = items[0];
  const until = later && last ? last.created_at : undefined;
  const notes = page.query['notes'] ? await notesBetween(page, conversation, from, until) : [];
  const lines = [...messages, ...notes].sort((left, right) => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0));
  return { lines, edge: later && last ? last.id : null };
}

/** Notes are few beside messages: all are read, and those of the part are taken. */
async function notesBetween(
  page: PageRequest,
  { receiver_id: receiver }: WireConversation,
  from: string,
  until: string | undefined,
): Promise<readonly Line[]> {
  const found: WireNote[] = [];
  let more: Record<string, string> | null = {};
  while (more) {
    const list: List<WireNote> = await page.call('notes.list', { receiver_id: receiver, page_size: pageSize, ...more });
    found.push(...list.items);
    more = (list.items.at(-1)?.created_at ?? '') < from ? null : list.next;
  }
  return found
    .filter(({ created_at: at }) => at >= from && (until === undefined || at < until))
    .map((note) => ({
      id: `note-${note.id}`,
      at: note.created_at,
      who: said.note(noteAuthorOf(note)),
      texts: [note.body],
      picture: null,
      isNote: true,
    }));
}

function lineOf(message: MessageView, title: string): Line {
  const { media, template, failure, reactions } = message;
  const texts = [
    message.quoted && `> ${message.quoted}`,
    message.deleted,
    message.label,
    media && `[${media.name}]`,
    template && [template.headerMedia, template.header, template.body, template.footer].filter(Boolean).join('\n'),
    message.text.map(({ text }) => text).join(''),
    ...message.details.map(({ text }) => text),
    ...message.buttons.map((label) => `[${label}]`),
    ...message.before.map(({ text }) => `${words.thread.edited}: ${text}`),
    reactions.length > 0 && words.thread.reactions(reactions.join(', ')),
    failure && `${failure.reason} ${failure.advice}`,
  ];
  return {
    id: `m-${message.id}`,
    at: message.at,
    who: message.mine ? message.sender : title,
    texts: texts.flatMap((text) => text || []),
    picture: media?.src && media.kind === 'image' ? media.src : null,
    isNote: false,
  };
}
