import { definePages, type PageAnswer, type PageRequest, type Toast } from '../page';
import { loadComposer } from './composer';
import { inboxPath, readFilters } from './filters';
import { loadTeam, loadThread, titleOf, type WireConversation } from './load';
import { authorOf, type WireNote } from './notes';
import { triggers } from './triggers';
import { textParts } from './texts';

const mentionsPath = '/dashboard/mentions/';

/** What members do for each other in a conversation: notes, mentions, and who is there. */
export const teamworkPages = definePages([
  { method: 'POST', path: `${inboxPath}:receiver/notes/`, scope: 'chat.view', run: writeNote },
  { method: 'POST', path: `${inboxPath}:receiver/handover/`, scope: 'chat.assign', run: handOver },
  { method: 'POST', path: `${inboxPath}:receiver/presence/`, scope: 'chat.view', run: givePresence },
  { method: 'GET', path: `${inboxPath}presence/`, scope: 'chat.view', run: showPresence },
  { method: 'GET', path: `${inboxPath}:receiver/suggestions/`, scope: 'chat.view', run: showSuggestions },
  { method: 'GET', path: mentionsPath, scope: 'chat.view', run: showMentions },
]);

async function writeNote(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const filters = readFilters(page.query);
  const { body } = page.form;
  const written = await page.attempt(() =>
    page.callOnce('notes.create', page.form['once'] ?? '', { receiver_id: receiver, body }),
  );
  const errors = 'errors' in written ? written.errors : {};
  if (!page.isPartial) {
    const toast =
      'errors' in written ? { text: Object.values(errors).flat().join(' '), kind: 'bad' as const } : undefined;
    return page.redirect(page.link(`${inboxPath}${encodeURIComponent(receiver)}/`, filters), toast);
  }
  const values = { mode: 'note', ...('errors' in written ? { body: body ?? '' } : {}) };
  const composer = await loadComposer(page, await loadThread(page, receiver), filters, values, errors);
  if ('errors' in written) return page.part('/inbox/composer', { composer }, { status: 422 });
  const answer = page.part('/inbox/composer', { composer });
  return { ...answer, headers: { 'HX-Trigger': triggers(undefined, { thread: true }) } };
}

/** Hands a conversation over with a note; `to` is a field of the operation with its value. */
async function handOver(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const { to = '', note, once = '' } = page.form;
  const [field = '', id] = to.split('-');
  const done = await page.attempt(() =>
    page.callOnce('handovers.create', once, { [field]: id, receiver_id: receiver, note }),
  );
  const toast: Toast =
    'errors' in done
      ? { text: Object.values(done.errors).flat().join(' '), kind: 'bad' }
      : { text: 'Handed over with your note.' };
  if (!page.isPartial)
    return page.redirect(page.link(`${inboxPath}${encodeURIComponent(receiver)}/`, readFilters(page.query)), toast);
  return { status: 204, html: '', headers: { 'HX-Trigger': triggers(toast, { thread: true }) } };
}

/** Who is in a conversation, as its operation gives it. */
interface WirePresence {
  readonly conversation_id: number;
  readonly member: { readonly id: number; readonly name: string; readonly email: string };
  readonly state: 'looking' | 'writing';
}

function presencePart(page: PageRequest, found: readonly WirePresence[]): PageAnswer {
  const others = found.filter(({ member }) => member.id !== page.member.id);
  const ids = [...new Set(others.map(({ conversation_id: id }) => id))];
  const present = ids.map((id) => {
    const here = others.filter(({ conversation_id: of }) => of === id);
    const saying = (state: string, does: string): string => {
      const names = here.flatMap(({ member, state: own }) => (own === state ? [member.name || member.email] : []));
      return names.length === 0 ? '' : `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} ${does}`;
    };
    const [writing, looking] = [saying('writing', 'writing'), saying('looking', 'looking at this')];
    const words = [writing, looking];
    return { id, text: words.filter(Boolean).join(' · '), isWriting: writing !== '' };
  });
  return page.part('/inbox/presence', { present });
}

/** Notes what the member does in a conversation; tells who is where. */
async function givePresence(page: PageRequest): Promise<PageAnswer> {
  const { state } = page.form;
  return presencePart(page, await page.call('presence.set', { receiver_id: page.params['receiver'], state }));
}

async function showPresence(page: PageRequest): Promise<PageAnswer> {
  return presencePart(page, await page.call('presence.list'));
}

/** A suggestion for the text field, offered after a sign and the beginning of a word. */
interface Suggestion {
  readonly id: string;
  readonly sign: '/' | '@';
  readonly word: string;
  readonly insert: string;
  readonly detail: string;
  /** Files that come among those to be sent, as JSON (attach.js); null: none. */
  readonly files: string | null;
}

interface WireReply {
  readonly id: number;
  readonly shortcut: string;
  readonly filled: string;
  readonly files: readonly { readonly filename: string }[];
}

/** Returns the canned replies, filled in for this customer, and the members. */
async function showSuggestions(page: PageRequest): Promise<PageAnswer> {
  const query = { receiver_id: page.params['receiver'] };
  const [replies, { members }] = await Promise.all([
    page.call<readonly WireReply[]>('cannedReplies.list', query),
    loadTeam(page),
  ]);
  const suggestions: Suggestion[] = [
    ...replies.map(({ id, shortcut, filled, files }) => ({
      id: `reply-${id}`,
      sign: '/' as const,
      word: shortcut,
      insert: filled,
      detail: [filled, ...files.map(({ filename }) => filename)].join(' · '),
      files: files.length > 0 ? JSON.stringify(files) : null,
    })),
    ...members
      .filter(({ id, name }) => id !== page.member.id && name !== '')
      .map(({ id, name, email }) => ({
        id: `member-${id}`,
        sign: '@' as const,
        word: name,
        insert: `@${name} `,
        detail: email,
        files: null,
      })),
  ];
  return page.part('/inbox/suggestions', { suggestions });
}

interface MentionsPage {
  readonly items: readonly WireNote[];
  readonly next: Record<string, string> | null;
}

/** Shows the notes that mention the member. */
async function showMentions(page: PageRequest): Promise<PageAnswer> {
  const { cursor } = page.query;
  const query = { ...(cursor === undefined ? {} : { cursor }), page_size: 50 };
  const { items, next } = await page.call<MentionsPage>('mentions.list', query);
  const mentions = await Promise.all(items.map((note) => mentionView(page, note)));
  const older = next && page.link(mentionsPath, { cursor: next['cursor'] });
  return page.page('/inbox/mentions', { mentions, older }, { title: 'Mentions', place: 'inbox', styles: ['desk.css'] });
}

async function mentionView(page: PageRequest, note: WireNote) {
  const conversation = await page.call<WireConversation>('conversations.get', { receiver_id: note.receiver_id });
  return {
    author: authorOf(note),
    title: titleOf(conversation),
    href: page.link(`${inboxPath}${encodeURIComponent(note.receiver_id)}/`, { view: 'all' }),
    at: note.created_at,
    text: textParts(note.body),
  };
}
