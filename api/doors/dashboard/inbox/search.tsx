import type { AnswerOf } from '../../../core/http/shapes';
import type { foundMessageShape } from '../../../services/resources/messages/serializer';
import { filterView, optionsOf, pagerView } from '../fieldViews';
import { Icon, type Html } from '../html';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Empty, Errors, Filters, Pager } from '../parts';
import { words } from '../words';
import { inboxPath, searchPath } from './filters';
import { titleOf, type List } from './load';

const { messageSearch: said } = words.inbox;

/** A message that was found, as its operation gives it. */
export type Found = AnswerOf<typeof foundMessageShape>;

/** Search in the words of messages. */
export const searchPages = definePages([{ method: 'GET', path: searchPath, scope: 'chat.view', run: showSearch }]);

async function showSearch(page: PageRequest): Promise<PageAnswer> {
  const { q = '', direction, cursor } = page.query;
  const asked = { q, ...(direction ? { direction } : {}) };
  const query = { ...asked, ...(cursor ? { cursor } : {}), page_size: 30 };
  const done = q.trim() === '' ? null : await page.attempt(() => page.call<List<Found>>('messages.search', query));
  const list = done && 'value' in done ? done.value : null;
  const pager = list && pagerView(list, searchPath, asked);
  const directions = optionsOf([
    ['', said.byAnybody],
    ['inbound', said.byCustomers],
    ['outbound', said.byUs],
  ]);
  const body = (
    <>
      <div class="page-head">
        <h1>{said.title}</h1>
      </div>
      <form class="filters" method="get" action={searchPath} role="search">
        <label class="filter-search">
          <span class="visually-hidden">{said.words}</span>
          <input
            class="input"
            type="search"
            name="q"
            value={q}
            placeholder={said.placeholder}
            maxlength={255}
            autofocus
          />
        </label>
        <Filters filters={[filterView('direction', said.by, directions, direction ?? '')]} />
        <button class="button button-main">{said.find}</button>
      </form>
      <Errors errors={done && 'errors' in done ? done.errors : {}} />
      {list?.items.length === 0 && (
        <Empty icon="search" title={said.nothing.title} text={said.nothing.text(pager !== null)} />
      )}
      {list && list.items.length > 0 && (
        <>
          <ol class="found">
            {list.items.map((message) => (
              <FoundMessage page={page} message={message} />
            ))}
          </ol>
          <Pager pager={pager} />
        </>
      )}
    </>
  );
  return page.page(body, { title: said.title, place: 'inbox', styles: ['inbox.css'] });
}

function FoundMessage({ page, message }: { readonly page: PageRequest; readonly message: Found }): Html {
  const { id, receiver, direction, written_by: author, send_by: member, created_at: at } = message;
  const path = `${inboxPath}${encodeURIComponent(receiver.receiver_id)}/`;
  return (
    <li>
      <a class="found-message" href={`${page.link(path, { at: id })}#m-${id}`}>
        <span class="found-head">
          <strong class="cut" dir="auto">
            {titleOf(receiver)}
          </strong>
          {direction === 'outbound' && (
            <span class="soft small cut">
              <Icon name="reply" />
              {author?.name || member?.name || words.thread.authors.automatic}
            </span>
          )}
          <span class="soft small">{page.timePart(at)}</span>
        </span>
        <span class="found-text" dir="auto">
          {piecesOf(message).map(({ text, isFound }) => (isFound ? <mark>{text}</mark> : text))}
        </span>
      </a>
    </li>
  );
}

/** A piece of a text: words that were found, or what stands around them. */
export interface Piece {
  readonly text: string;
  readonly isFound: boolean;
}

/** Characters that are shown before the first word that was found, and in all. */
const shownBefore = 80;
const shownChars = 240;

/** Cuts a text around the first word that was found, with the words that were found as pieces of their own. */
export function piecesOf({ text, highlight }: Found): readonly Piece[] {
  const from = Math.max(0, (highlight[0]?.[0] ?? 0) - shownBefore);
  const to = Math.min(text.length, from + shownChars);
  const pieces: Piece[] = [];
  const add = (start: number, end: number, isFound: boolean): void => {
    if (end > start) pieces.push({ text: text.slice(start, end).toWellFormed(), isFound });
  };
  let at = from;
  for (const [start = 0, end = 0] of highlight.filter(([, end = 0]) => end <= to)) {
    add(at, start, false);
    add(start, end, true);
    at = end;
  }
  add(at, to, false);
  const cut = (isCut: boolean) => (isCut ? [{ text: '…', isFound: false }] : []);
  return [...cut(from > 0), ...pieces, ...cut(to < text.length)];
}
