import type { FieldErrors } from '../../../core/http/errors';
import { filterView, optionsOf, pagerView, type FilterView, type PagerView } from '../fieldViews';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { inboxPath } from './filters';
import { titleOf, type WireConversation } from './load';

export const searchPath = '/dashboard/messages/';

/** A message as the search gives it, as far as it is shown. */
interface WireFound {
  readonly id: number;
  readonly receiver: Pick<WireConversation, 'name' | 'phone_number' | 'username' | 'receiver_id'>;
  readonly direction: string;
  readonly send_by: { readonly name: string } | null;
  readonly written_by: { readonly name: string } | null;
  readonly created_at: string;
  readonly text: string;
  readonly highlight: readonly (readonly [start: number, end: number])[];
}

interface FoundView {
  readonly href: string;
  readonly title: string;
  /** Who wrote it, where it is ours. */
  readonly author: string;
  readonly at: string;
  readonly pieces: readonly { readonly text: string; readonly isFound: boolean }[];
}

interface SearchView {
  readonly q: string;
  readonly filters: readonly FilterView[];
  readonly errors: FieldErrors;
  /** Null: nothing was asked for. */
  readonly found: readonly FoundView[] | null;
  readonly pager: PagerView | null;
}

/** Search in the words of messages. */
export const searchPages = definePages([{ method: 'GET', path: searchPath, scope: 'chat.view', run: showSearch }]);

async function showSearch(page: PageRequest): Promise<PageAnswer> {
  const { q = '', direction, cursor } = page.query;
  const asked = { q, ...(direction ? { direction } : {}) };
  const done =
    q.trim() === ''
      ? null
      : await page.attempt(() =>
          page.call<{
            readonly items: readonly WireFound[];
            readonly next: Record<string, string> | null;
            readonly previous: Record<string, string> | null;
          }>('messages.search', { ...asked, ...(cursor ? { cursor } : {}), page_size: 30 }),
        );
  const list = done && 'value' in done ? done.value : null;
  const view: SearchView = {
    q,
    filters: [
      filterView(
        'direction',
        'Written by',
        optionsOf([
          ['', 'Written by anybody'],
          ['inbound', 'By customers'],
          ['outbound', 'By us'],
        ]),
        direction ?? '',
      ),
    ],
    errors: done && 'errors' in done ? done.errors : {},
    found: list && list.items.map((message) => foundView(page, message)),
    pager: list && pagerView(list, searchPath, asked),
  };
  return page.page('/inbox/search', view, { title: 'Search in messages', place: 'inbox', styles: ['inbox.css'] });
}

function foundView(page: PageRequest, message: WireFound): FoundView {
  const { id, receiver, direction } = message;
  const path = `${inboxPath}${encodeURIComponent(receiver.receiver_id)}/`;
  return {
    href: `${page.link(path, { at: id })}#m-${id}`,
    title: titleOf(receiver),
    author: direction === 'outbound' ? message.written_by?.name || message.send_by?.name || 'Automatic' : '',
    at: message.created_at,
    pieces: piecesOf(message),
  };
}

/** Characters that are shown before the first word that was found, and in all. */
const shownBefore = 80;
const shownChars = 240;

/** Cuts a text around the first word that was found, with the words that were found as pieces of their own. */
function piecesOf({ text, highlight }: WireFound): FoundView['pieces'] {
  const from = Math.max(0, (highlight[0]?.[0] ?? 0) - shownBefore);
  const to = Math.min(text.length, from + shownChars);
  const pieces: { text: string; isFound: boolean }[] = [];
  const add = (start: number, end: number, isFound: boolean): void => {
    if (end > start) pieces.push({ text: text.slice(start, end).toWellFormed(), isFound });
  };
  let at = from;
  for (const [start, end] of highlight.filter(([, end]) => end <= to)) {
    add(at, start, false);
    add(start, end, true);
    at = end;
  }
  add(at, to, false);
  const cut = (isCut: boolean) => (isCut ? [{ text: '…', isFound: false }] : []);
  return [...cut(from > 0), ...pieces, ...cut(to < text.length)];
}
