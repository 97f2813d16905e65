import { AppError } from '../../../core/http/errors';
import { fold, foldWords } from '../../../core/text/fold';
import { cut } from '../../../core/text/cut';
import { contactChoices } from '../contacts/choices';
import type { IconName } from '../icons';
import { inboxPath, searchPath as messagesPath } from '../inbox/filters';
import { titleOf, type List, type WireConversation } from '../inbox/load';
import { piecesOf, type Found, type Piece } from '../inbox/search';
import { placesFor } from '../navigation';
import type { PageRequest } from '../page';
import { sectionsFor } from '../team/settings';
import { ticketChoices } from '../tickets/choices';
import { words } from '../words';

const { search: said, frame, settings } = words;

/** Something that was found. */
export interface Hit {
  readonly href: string;
  readonly icon: IconName;
  readonly title: string;
  readonly detail?: string;
  /** A message's text, with the words that were found. */
  readonly pieces?: readonly Piece[];
  readonly at?: string;
}

/** What was found of a kind, with the way to all of it. */
export interface Group {
  readonly id: keyof typeof said.groups;
  readonly hits: readonly Hit[];
  /** Where there are all of them; null: there are no more, or no such page. */
  readonly more: string | null;
  /** It could not be asked. */
  readonly isFailed: boolean;
}

const shown = 5;
const maxLetters = 255;
/** Letters from which words of messages are looked for: fewer are in nearly all of them. */
const minLetters = 3;

/** Finds people, words in messages, tickets, and pages and acts: each as far as the member may see them. */
export async function findAll(page: PageRequest, given: string): Promise<readonly Group[]> {
  const text = cut(given.trim(), maxLetters);
  const wanted: readonly (readonly [id: Group['id'], may: boolean, find: () => Promise<Hit[]>, more: string | null])[] =
    [
      ['people', page.can('chat.view') || page.can('contact.view'), () => people(page, text), morePeople(page, text)],
      [
        'messages',
        page.can('chat.view') && foldWords(text).join('').length >= minLetters,
        () => messages(page, text),
        page.link(messagesPath, { q: text }),
      ],
      [
        'tickets',
        page.can('ticket.view'),
        () => tickets(page, text),
        page.link('/dashboard/tickets/', { view: 'list', search: text }),
      ],
    ];
  const found = text === '' ? [] : wanted.filter(([, may]) => may);
  const groups = await Promise.all(
    found.map(async ([id, , find, more]): Promise<Group> => {
      try {
        const hits = await find();
        return { id, hits: hits.slice(0, shown), more: hits.length > shown ? more : null, isFailed: false };
      } catch (error) {
        // A text that one of them takes for none finds nothing there; the others answer all the same.
        if (!(error instanceof AppError)) throw error;
        return { id, hits: [], more: null, isFailed: error.status >= 500 };
      }
    }),
  );
  const go = goTo(page, text);
  return [...groups, { id: 'go', hits: go, more: null, isFailed: false } as const].filter(
    ({ hits, isFailed }) => hits.length > 0 || isFailed,
  );
}

const morePeople = (page: PageRequest, text: string): string =>
  page.can('contact.view')
    ? page.link('/dashboard/contacts/', { search: text })
    : page.link(inboxPath, { search: text });

/** People by their contacts or, where the member sees conversations alone, by these: each contact has one. */
async function people(page: PageRequest, text: string): Promise<Hit[]> {
  const href = (receiver: string): string =>
    page.can('chat.view')
      ? page.link(`${inboxPath}${encodeURIComponent(receiver)}/`, { view: 'all' })
      : `/dashboard/contacts/${encodeURIComponent(receiver)}/`;
  if (page.can('contact.view')) {
    const found = await contactChoices.find(page, text);
    return found.map(({ value, name, detail }) => ({ href: href(value), icon: 'user', title: name, detail }));
  }
  const query = { search: text, page_size: shown + 1, count: false };
  const { items } = await page.call<List<WireConversation>>('conversations.list', query);
  return items.map((one) => ({ href: href(one.receiver_id), icon: 'user', title: titleOf(one) }));
}

async function messages(page: PageRequest, text: string): Promise<Hit[]> {
  const query = { q: text, page_size: shown + 1, count: false };
  const { items } = await page.call<List<Found>>('messages.search', query);
  return items.map((message) => {
    const { id, receiver, direction, created_at: at } = message;
    const path = `${inboxPath}${encodeURIComponent(receiver.receiver_id)}/`;
    const icon = direction === 'outbound' ? 'reply' : 'message-square';
    return {
      href: `${page.link(path, { at: id })}#m-${id}`,
      icon,
      title: titleOf(receiver),
      pieces: piecesOf(message),
      at,
    };
  });
}

async function tickets(page: PageRequest, text: string): Promise<Hit[]> {
  const found = await ticketChoices.find(page, text);
  return found.map(({ value, name, detail }) => ({
    href: `/dashboard/tickets/${value}/`,
    icon: 'ticket',
    title: name,
    detail,
  }));
}

/** What can be begun from anywhere: the operation that it needs, and its page. */
const acts: readonly (readonly [id: keyof typeof said.acts, operation: string, path: string, icon: IconName])[] = [
  ['broadcast', 'broadcasts.create', 'broadcasts/new/', 'megaphone'],
  ['ticket', 'tickets.create', 'tickets/new/', 'ticket'],
  ['contact', 'contacts.create', 'contacts/new/', 'user-plus'],
  ['import', 'contacts.import', 'contacts/import/', 'upload'],
  ['macro', 'macros.create', 'macros/new/', 'zap'],
  ['rule', 'rules.create', 'rules/new/', 'timer'],
  ['reply', 'cannedReplies.create', 'replies/new/', 'text-quote'],
  ['member', 'teamMembers.create', 'members/new/', 'user-plus'],
  ['key', 'apiKeys.create', 'api-keys/new/', 'key-round'],
  ['webhook', 'webhooks.create', 'webhooks/new/', 'webhook'],
];

/** Pages and acts whose names have all that was typed; all places where nothing was. */
function goTo(page: PageRequest, text: string): Hit[] {
  const places = placesFor(page.credential.scopes).map(({ id, path, icon }) => ({
    href: path,
    icon,
    title: frame.places[id],
  }));
  if (text === '') return places;
  const all: readonly Hit[] = [
    ...places,
    ...acts
      .filter(([, operation]) => page.may(operation))
      .map(([id, , path, icon]) => ({ href: `/dashboard/${path}`, icon, title: said.acts[id] })),
    ...sectionsFor(page).map(({ id, path }) => ({
      href: path,
      icon: 'settings' as const,
      title: `${words.common.settings} › ${settings.sections[id]}`,
    })),
  ];
  const typed = foldWords(text);
  return all
    .filter(({ title }) => typed.length > 0 && typed.every((word) => fold(title).includes(word)))
    .slice(0, shown);
}
