import { askingOnce } from '../../../core/db/database';
import { notFound } from '../../../core/http/errors';
import { isStream } from '../../../core/http/operations';
import { sha256 } from '../../../core/secrets';
import { findContactById } from '../../../services/resources/contacts/service';
import type { Html } from '../html';
import { loadTeam, type Team } from '../lookups';
import { definePages, type handled, type PageAnswer, type PageOptions, type PageRequest, type Toast } from '../page';
import { words } from '../words';
import { showActivity } from './activity';
import { answeredField, answeredMeanwhile, askFirst } from './answeredMeanwhile';
import { composerPart } from './composer';
import { detailsPart } from './details';
import {
  countedViews,
  inboxPath,
  isNarrowed,
  readFilters,
  viewOf,
  viewTabs,
  type InboxFilters,
  type ViewTab,
} from './filters';
import { firstSteps } from './firstSteps';
import { Counts, Frame } from './frame';
import { Head } from './head';
import { Conversations, countText, countListed, loadList, type ListGiven } from './list';
import { loadMore, loadThread, pathOf, titleOf, type WireConversation } from './load';
import {
  changed,
  conversationPart,
  loadOpen,
  nothingChosen,
  refusalOf,
  refused,
  threadParts,
} from './openConversation';
import { sendConversation, showPrint } from './print';
import { saveDetails } from './saveDetails';
import { maxPlainFile, readMessage, storeFile } from './messageForm';
import { readSnooze } from './snooze';
import { Messages, More } from './thread';
import { askForThread } from './threadOwner';
import { goingOn, triggers } from './triggers';
import { undoChange, undoOf } from './undo';

const conversationPath = `${inboxPath}:receiver/`;
const { done: said } = words.inbox;

const options = (title: string): PageOptions => ({
  title,
  place: 'inbox',
  full: true,
  styles: ['inbox.css'],
  scripts: [
    'longPress.js',
    'inbox.js',
    'thread.js',
    'attach.js',
    'outbox.js',
    'composer.js',
    'complete.js',
    'presence.js',
    'bulk.js',
    'swipe.js',
  ],
  keys: words.inbox.keys,
});

const refusing = (title: string): PageOptions => ({ ...options(title), status: 422 });

/** The conversations of the team: the list, a thread, and what can be done with it. */
export const inboxPages = definePages([
  { method: 'GET', path: inboxPath, scope: 'chat.view', run: showList },
  {
    method: 'GET',
    path: conversationPath,
    scope: 'chat.view',
    asksOnce: true,
    run: showConversation,
  },
  { method: 'GET', path: '/dashboard/conversations/:id/', scope: 'chat.view', run: openById },
  { method: 'GET', path: `${conversationPath}activity/`, scope: 'chat.view', run: showActivity },
  { method: 'GET', path: `${conversationPath}media/:id/`, scope: 'chat.view', run: sendMedia },
  { method: 'GET', path: `${conversationPath}print/`, scope: 'chat.view', asksOnce: true, run: showPrint },
  { method: 'GET', path: `${conversationPath}export/`, scope: 'chat.view', run: sendConversation },
  {
    method: 'POST',
    path: `${conversationPath}messages/`,
    scope: 'chat.send_message',
    takesFile: true,
    // Beside the file: a text, and the borders of the parts.
    formLimit: maxPlainFile + 300_000,
    run: sendMessage,
  },
  { method: 'POST', path: `${conversationPath}react/`, scope: 'chat.send_message', run: react },
  { method: 'POST', path: `${conversationPath}state/`, scope: 'chat.assign', run: changeState },
  {
    method: 'POST',
    path: `${conversationPath}thread/`,
    scope: 'chat.assign',
    run: async (page) => changed(page, page.params['receiver'] ?? '', await askForThread(page)),
  },
  { method: 'POST', path: `${conversationPath}undo/`, scope: 'chat.assign', run: undo },
  { method: 'POST', path: `${conversationPath}details/`, scope: 'chat.view', run: changeDetails },
  { method: 'POST', path: `${conversationPath}read/`, scope: 'chat.view', run: markRead },
  { method: 'POST', path: `${conversationPath}unread/`, scope: 'chat.view', run: markUnread },
]);

/** Opens a conversation by its id (its contact's), or a former one: the Temporal Web UI links to no phone number. */
async function openById(page: PageRequest): Promise<PageAnswer> {
  const id = Number(page.params['id']);
  if (!Number.isSafeInteger(id)) throw notFound();
  return page.redirect(pathOf(await findContactById(page.ctx, id)));
}

/** Returns the list with nothing opened, or a part of it. */
async function showList(page: PageRequest): Promise<PageAnswer> {
  const filters = readFilters(page.query);
  if (page.query['part'] === 'counts') return showCounts(page, filters);
  if (page.isPartial) return page.part(<Conversations {...await listGiven(page, filters)} />);
  const [around, team] = await Promise.all([loadAround(page, filters), loadTeam(page)]);
  return indexPage(around, team, null, options(words.inbox.title));
}

/** Shows the list with what stands around it, beside what is open. */
function indexPage(around: Around, team: Team, open: Html | null, how: PageOptions): PageAnswer {
  return around.page.page(<Frame {...around} team={team} open={open} />, how);
}

/** The list with the views above it. */
type Around = ListGiven & { readonly tabs: readonly ViewTab[] };

async function loadAround(page: PageRequest, filters: InboxFilters): Promise<Around> {
  const [list, tabs] = await Promise.all([listGiven(page, filters), viewTabs(page, filters)]);
  return { ...list, tabs };
}

/** Returns what the list is drawn of. */
async function listGiven(page: PageRequest, filters: InboxFilters): Promise<ListGiven> {
  const rows = await loadList(page, filters);
  const { cursor: _cursor, ...kept } = filters;
  const isQuiet = rows.items.length === 0 && viewOf(filters) === 'waiting' && !isNarrowed(filters);
  return { page, rows, filters: kept, steps: isQuiet ? await firstSteps(page) : [] };
}

/** Returns how many conversations each view lists; asked for after the page is there. */
async function showCounts(page: PageRequest, filters: InboxFilters): Promise<PageAnswer> {
  const counts = await Promise.all(countedViews.map((view) => countListed(page, view)));
  const texts = Object.fromEntries(countedViews.map((view, index) => [view, countText(counts[index])]));
  return page.part(<Counts tabs={await viewTabs(page, filters, texts)} waiting={counts[0] ?? 0} />);
}

/** Returns a conversation beside the list; or only what a page asks to be brought up to date. */
async function showConversation(page: PageRequest): Promise<PageAnswer> {
  const filters = readFilters(page.query);
  const receiver = page.params['receiver'] ?? '';
  const { part } = page.query;
  if (part === 'earlier' || part === 'later')
    return page.part(<More page={page} more={await loadMore(page, receiver, part === 'later')} />);
  if (part === 'thread') return threadParts(page, await loadOpen(page, receiver, filters));
  if (part === 'messages') return page.part(<Messages page={page} thread={await loadThread(page, receiver)} />);
  if (part === 'composer')
    return page.part(await composerPart(page, await loadThread(page, receiver), filters, page.query));
  if (!page.isPartial) {
    const [around, open] = await Promise.all([loadAround(page, filters), loadOpen(page, receiver, filters)]);
    return indexPage(around, open.team, await conversationPart(page, open), options(open.thread.title));
  }
  const open = await loadOpen(page, receiver, filters);
  // Told here, because the link that was followed may be gone from the list by now.
  const headers = { 'HX-Push-Url': page.link(open.thread.path, filters) };
  return { ...page.part(await conversationPart(page, open)), headers };
}

async function sendMessage(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  // The page keeps its field with its content.
  const { mode = 'text', waited } = page.form;
  const isText = page.isPartial && (mode === 'text' || waited === 'yes');
  const answered = await answeredMeanwhile(page, receiver);
  if (answered && isText) return askFirst(answered);
  const stored = await page.attempt(() => storeFile(page));
  const form = 'errors' in stored ? page.form : stored.value;
  const sent =
    'errors' in stored
      ? stored
      : answered
        ? { errors: { [answeredField]: [answered.text] } }
        : await page.attempt(async () => sendOnce(page, await readMessage(page, receiver, form)));
  const filters = readFilters(page.query);
  if ('errors' in sent) {
    if (isText) return { status: 422, html: '', headers: { 'HX-Trigger': triggers(refusalOf(sent.errors)) } };
    if (page.isPartial) {
      const thread = await loadThread(page, receiver);
      return page.part(await composerPart(page, thread, filters, page.form, sent.errors), { status: 422 });
    }
    const open = await loadOpen(page, receiver, filters);
    const drawn = await conversationPart(page, open, { written: { form, errors: sent.errors } });
    return indexPage(await loadAround(page, filters), open.team, drawn, refusing(open.thread.title));
  }
  const { message_status: status, send_at: at } = sent.value as Record<string, unknown>;
  const isDone = page.form['then'] === 'done' && status !== 'scheduled';
  const { toast, events }: Ended = isDone
    ? await endConversation(page, receiver)
    : status === 'scheduled'
      ? { toast: { text: words.thread.later.sentAt(page.moment(String(at))) } }
      : {};
  if (!page.isPartial) return changed(page, receiver, toast);
  const answer = await askingOnce(async () => {
    const open = await loadOpen(page, receiver, filters);
    const parts = await threadParts(page, open);
    return isText ? parts : page.together(page.part(await composerPart(page, open.thread, filters)), parts);
  });
  return { ...answer, headers: { 'HX-Trigger': triggers(toast, {}, events) } };
}

/** Sends what the form says, once for its key. A file that came with it is stored anew each time, and the same. */
function sendOnce(page: PageRequest, message: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { form, file } = page;
  const same = file ? { ...form, file: sha256(file.bytes).toString('hex') } : message;
  return page.callOnce('messages.create', form['once'] ?? '', message, same);
}

/** What is said of the end of a conversation. */
interface Ended {
  readonly toast?: Toast;
  readonly events?: Readonly<Record<string, unknown>>;
}

/** Marks a conversation as done in which a message was sent just now; a refusal leaves that as it is. */
async function endConversation(page: PageRequest, receiver: string): Promise<Ended> {
  const before = await page.call<WireConversation>('conversations.get', { receiver_id: receiver });
  const change = { receiver_id: receiver, conv_status: 'resolved' };
  const done = await page.attempt(() => page.call<WireConversation>('conversations.update', change));
  if ('errors' in done) {
    const refusal = refusalOf(done.errors);
    return { toast: { ...refusal, text: said.sentOnly(refusal.text) } };
  }
  const { value: after } = done;
  return {
    toast: { text: said.status(titleOf(after), after.conv_status), ...undoOf(before, after) },
    events: goingOn(page, after),
  };
}

/** Answers a message with one sign, or takes that back. */
async function react(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const { message = '', emoji = '', once = '' } = page.form;
  const reaction = { to: receiver, type: 'reaction', reaction: { message_id: message, emoji } };
  const sent = await page.attempt(() => page.callOnce('messages.create', once, reaction));
  return 'errors' in sent ? refused(page, receiver, sent.errors) : changed(page, receiver);
}

async function changeState(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const { form } = page;
  const change: Record<string, unknown> = { receiver_id: receiver };
  for (const name of ['conv_status', 'priority', 'assigned_member', 'assigned_team_inbox'])
    if (form[name] !== undefined) change[name] = form[name];
  if (Object.keys(change).length === 1) return refused(page, receiver, nothingChosen());
  if (form['conv_status'] === 'snoozed') change['snoozed_until'] = readSnooze(form, page.workspace.timezone);
  const before = await page.call<WireConversation>('conversations.get', { receiver_id: receiver });
  const done = await page.attempt(() => page.call<WireConversation>('conversations.update', change));
  if ('errors' in done) return fromList(page, refusalOf(done.errors)) ?? refused(page, receiver, done.errors);
  const toast = { text: await wordsOf(page, done.value, form), ...undoOf(before, done.value) };
  const listed = fromList(page, toast);
  if (listed) return listed;
  return changed(page, receiver, toast, form['conv_status'] === undefined ? {} : goingOn(page, done.value));
}

/** Answers what was done at a row of the list (swipe.js), where its thread is not shown; null: it was not. */
function fromList(page: PageRequest, toast: Toast): PageAnswer | null {
  if (!page.isPartial || page.form['from'] !== 'list') return null;
  return { status: 204, html: '', headers: { 'HX-Trigger': triggers(toast) } };
}

/** Undoes the last change. Another conversation may be open by now, so its parts are requested again. */
async function undo(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const done = await page.attempt(() => undoChange(page, receiver));
  const toast: Toast =
    'errors' in done
      ? { text: Object.values(done.errors).flat().join(' '), kind: 'bad' }
      : done.value
        ? { text: said.takenBack }
        : { text: said.changedAgain, kind: 'bad' };
  if (!page.isPartial) return changed(page, receiver, toast);
  return { status: 204, html: '', headers: { 'HX-Trigger': triggers(toast, { thread: true }) } };
}

/** Returns what was done, in the words of the list. */
async function wordsOf(
  page: PageRequest,
  conversation: WireConversation,
  form: Readonly<Record<string, string>>,
): Promise<string> {
  const name = titleOf(conversation);
  const { conv_status: status, priority } = conversation;
  if (form['conv_status'] === 'snoozed') return said.snoozed(page.moment(conversation.snoozed_until));
  if (form['conv_status'] !== undefined) return said.status(name, status);
  if (form['priority'] !== undefined) return said.priority(priority);
  const { members, inboxes } = await loadTeam(page);
  const member = members.find(({ id }) => id === conversation.assigned_member);
  const inbox = inboxes.find(({ id }) => id === conversation.assigned_team_inbox);
  if (form['assigned_team_inbox'] !== undefined) return inbox ? said.inInbox(inbox.name) : said.inNoInbox;
  return member ? said.assigned(member.name || member.email) : said.assignedToNobody;
}

async function changeDetails(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const before = await page.call<WireConversation>('conversations.get', { receiver_id: receiver });
  const done = await page.attempt(() => saveDetails(page, before));
  const filters = readFilters(page.query);
  if ('errors' in done) {
    const { thread, team, ...open } = await loadOpen(page, receiver, filters);
    const known = { form: page.form, errors: done.errors };
    if (page.isPartial) return page.part(await detailsPart({ page, thread, filters, ...known }), { status: 422 });
    const drawn = await conversationPart(page, { thread, team, ...open }, { known });
    return indexPage(await loadAround(page, filters), team, drawn, refusing(thread.title));
  }
  const toast = { text: words.details.saved, ...(done.value ? undoOf(before, done.value) : {}) };
  if (!page.isPartial) return changed(page, receiver, toast);
  const answer = await askingOnce(async () => {
    const open = await loadOpen(page, receiver, filters);
    return page.part(
      <>
        {await detailsPart({ page, thread: open.thread, filters })}
        <Head page={page} {...open} outOfBand />
      </>,
    );
  });
  return { ...answer, headers: { 'HX-Trigger': triggers(toast) } };
}

async function markRead(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  await page.call('conversations.read', { receiver_id: receiver });
  return page.isPartial ? { status: 204, html: '', headers: { 'HX-Trigger': triggers() } } : changed(page, receiver);
}

/** Marks a conversation for the member and leaves it: while it is looked at it is read. */
async function markUnread(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  await page.call('unreadMarks.create', { receiver_ids: [receiver] });
  const undo = { action: `${inboxPath}${encodeURIComponent(receiver)}/read/`, fields: {} };
  return page.redirect(page.link(inboxPath, readFilters(page.query)), { text: said.markedUnread, undo });
}

/** Passes a file on for the thread; what is not a picture, sound or film is saved, never opened here. */
async function sendMedia(page: PageRequest): Promise<typeof handled> {
  const media = await page.call<unknown>('messages.media', { id: page.params['id'] ?? '' });
  if (!isStream(media)) throw new Error('the media operation gives a stream');
  return page.stream(media);
}
