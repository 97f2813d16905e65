import { notFound, type FieldErrors } from '../../../core/http/errors';
import { findContactById } from '../../../services/resources/contacts/service';
import type { MacroView } from '../../../services/resources/macros/serializer';
import { isStream } from '../../../core/http/operations';
import type { Team } from '../lookups';
import { definePages, type handled, type PageAnswer, type PageOptions, type PageRequest, type Toast } from '../page';
import { badgeView } from '../fieldViews';
import { showActivity } from './activity';
import { answeredField, answeredMeanwhile, askFirst } from './answered';
import { askForThread } from './threadOwner';
import { localOf } from '../../../core/zones';
import {
  chipsOf,
  countedViews,
  filterFields,
  inboxPath,
  isNarrowed,
  readFilters,
  viewActions,
  viewOf,
  viewTabs,
  type InboxFilters,
} from './filters';
import { firstSteps, type FirstStep } from './firstSteps';
import { formErrors, loadComposer, readMessage } from './composer';
import { loadDetails, saveDetails, type DetailsView } from './details';
import { countText, countWaitingIn, loadList } from './list';
import { loadMore, loadTeam, loadThread, pathOf, titleOf, type ThreadView, type WireConversation } from './load';
import { bulkView } from './bulk';
import { headView } from './head';
import { searchPath } from './search';
import { readSnooze, snoozePresets, type SnoozePreset } from './snooze';
import { triggers } from './triggers';
import { undoChange, undoOf } from './undo';

const conversationPath = `${inboxPath}:receiver/`;

const options = (title: string): PageOptions => ({
  title,
  place: 'inbox',
  full: true,
  styles: ['inbox.css'],
  scripts: ['inbox.js', 'thread.js', 'attach.js', 'composer.js', 'complete.js', 'presence.js', 'bulk.js'],
  keys: [
    ['j k', 'Next and previous conversation'],
    ['r', 'Reply; / in it offers canned replies'],
    ['Ctrl Enter', 'Send'],
    ['t', 'Send a template'],
    ['n', 'Write a note for the team'],
    ['e', 'Done, or open again'],
    ['s', 'Snooze'],
    ['a', 'Assign'],
    ['p', 'Priority'],
    ['m', 'Run a macro'],
    ['l', 'Tags'],
    ['i', 'About this person'],
    ['f', 'Filters'],
    ['x', 'Select the conversation'],
    ['u', 'Back to the list'],
  ],
});

/** The conversations of the team: the list, a thread, and what can be done with it. */
export const inboxPages = definePages([
  { method: 'GET', path: inboxPath, scope: 'chat.view', run: showList },
  { method: 'GET', path: conversationPath, scope: 'chat.view', run: showConversation },
  { method: 'GET', path: '/dashboard/conversations/:id/', scope: 'chat.view', run: openById },
  { method: 'GET', path: `${conversationPath}activity/`, scope: 'chat.view', run: showActivity },
  { method: 'GET', path: `${conversationPath}media/:id/`, scope: 'chat.view', run: sendMedia },
  { method: 'POST', path: `${conversationPath}messages/`, scope: 'chat.send_message', run: sendMessage },
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
  if (page.isPartial) return page.part('/inbox/list', await listData(page, filters));
  const [list, team] = await Promise.all([listData(page, filters), loadTeam(page)]);
  return indexPage(page, filters, list, { team, thread: null }, options('Inbox'));
}

/** Shows the list with what stands around it, beside what is open. */
function indexPage(
  page: PageRequest,
  filters: InboxFilters,
  list: ListData,
  open: { readonly team: Team; readonly thread: ThreadView | null },
  how: PageOptions,
): PageAnswer {
  const bulk = bulkView(page, list.filters, list.list.count, open.team);
  const around = { bulk, chips: chipsOf(page, filters, open.team), fields: filterFields(filters, open.team) };
  return page.page('/inbox/index', { ...list, ...around, ...open }, how);
}

/** The list with what stands above it. */
interface ListData {
  readonly list: Awaited<ReturnType<typeof loadList>>;
  readonly filters: InboxFilters;
  readonly tabs: Awaited<ReturnType<typeof viewTabs>>;
  readonly actions: ReturnType<typeof viewActions>;
  /** Its id; empty: all are searched. */
  readonly view: string;
  /** The view that the filters stay in. */
  readonly keptView: string;
  /** The view without any filter. */
  readonly cleared: string;
  readonly isNarrowed: boolean;
  readonly counts: string;
  /** The same words in messages; empty: nothing is searched. */
  readonly inMessages: string;
  /** What a workspace without a conversation needs. */
  readonly steps: readonly FirstStep[];
}

async function listData(page: PageRequest, filters: InboxFilters): Promise<ListData> {
  const list = await loadList(page, filters);
  const { cursor: _cursor, ...kept } = filters;
  const view = viewOf(filters);
  const isQuiet = list.items.length === 0 && view === 'waiting' && !isNarrowed(filters);
  return {
    list,
    steps: isQuiet ? await firstSteps(page) : [],
    filters: kept,
    // What stands around the list does not come with each change of it.
    tabs: page.isPartial ? [] : await viewTabs(page, filters),
    actions: viewActions(page, filters),
    view,
    keptView: view || 'all',
    cleared: page.link(inboxPath, { view: view || 'all' }),
    isNarrowed: isNarrowed(filters),
    counts: page.link(inboxPath, { part: 'counts', view, saved: filters.saved }),
    inMessages: filters.search ? page.link(searchPath, { q: filters.search }) : '',
  };
}

/** Returns how many wait in each view; asked for after the page is there. */
async function showCounts(page: PageRequest, filters: InboxFilters): Promise<PageAnswer> {
  const counts = await Promise.all(countedViews.map((view) => countWaitingIn(page, view)));
  const texts = Object.fromEntries(countedViews.map((view, index) => [view, countText(counts[index])]));
  return page.part('/inbox/views', {
    tabs: await viewTabs(page, filters, texts),
    badge: { ...badgeView('waiting', counts[0] ?? 0), outOfBand: true },
  });
}

/** Returns a conversation beside the list; or only what a page asks to be brought up to date. */
async function showConversation(page: PageRequest): Promise<PageAnswer> {
  const filters = readFilters(page.query);
  const receiver = page.params['receiver'] ?? '';
  const { part } = page.query;
  if (part === 'earlier' || part === 'later')
    return page.part('/inbox/more', await loadMore(page, receiver, part === 'later'));
  if (part === 'thread') return threadParts(page, await loadOpen(page, receiver, filters), filters);
  if (part === 'messages') return page.part('/inbox/messages', { thread: await loadThread(page, receiver) });
  if (part === 'composer')
    return page.part('/inbox/composer', {
      composer: await loadComposer(page, await loadThread(page, receiver), filters, page.query),
    });
  if (page.isPartial) {
    const data = await conversationData(page, await loadOpen(page, receiver, filters), filters);
    // Told here, because the link that was followed may be gone from the list by now.
    const headers = { 'HX-Push-Url': page.link(data.thread.path, filters) };
    return { ...page.part('/inbox/conversation', data), headers };
  }
  const [list, open] = await Promise.all([listData(page, filters), loadOpen(page, receiver, filters)]);
  return indexPage(page, filters, list, await conversationData(page, open, filters), options(open.thread.title));
}

/** Returns an open conversation with its box. */
async function conversationData(
  page: PageRequest,
  open: OpenView,
  filters: InboxFilters,
  values: Readonly<Record<string, string>> = {},
  errors: FieldErrors = {},
) {
  const composer = await loadComposer(page, open.thread, filters, values, errors);
  return { ...open, filters, composer, head: headView(page, { filters, ...open }) };
}

/** A conversation with what stands around it. */
interface OpenView {
  readonly thread: ThreadView;
  readonly team: Team;
  readonly details: DetailsView;
  readonly macros: readonly Pick<MacroView, 'id' | 'name' | 'description' | 'actions'>[];
  readonly snooze: SnoozeView;
}

/** The menu of times to snooze until. */
interface SnoozeView {
  readonly presets: readonly SnoozePreset[];
  /** The earliest time, the zone, and the time that is there first. */
  readonly from: string;
  readonly zone: string;
  readonly local: string;
}

async function loadOpen(page: PageRequest, receiver: string, filters: InboxFilters): Promise<OpenView> {
  const [thread, team, macros] = await Promise.all([
    loadThread(page, receiver),
    loadTeam(page),
    page.callIfPermitted<MacroView[]>('macros.list', {}, []),
  ]);
  const { snoozed_until: until } = thread.conversation;
  const zone = page.workspace.timezone;
  return {
    thread,
    team,
    details: await loadDetails(page, thread, filters),
    macros,
    snooze: {
      presets: snoozePresets(page.now, zone),
      from: localOf(page.now, zone),
      zone,
      local: localOf(new Date(until ?? page.now.getTime() + 86_400_000), zone),
    },
  };
}

/**
 * Returns what changes while a conversation is open: its head, its messages and, unless the member is typing in it, its
 * panel.
 */
function threadParts(page: PageRequest, open: OpenView, filters: InboxFilters): PageAnswer {
  const data = { head: headView(page, { filters, ...open }), ...open, outOfBand: true };
  const { path, window } = open.thread;
  return page.together(
    page.part('/inbox/head', data),
    page.part('/inbox/messages', data),
    page.part('/inbox/window', { path, window, outOfBand: true }),
    ...(page.query['details'] === 'no' ? [] : [page.part('/inbox/details', data)]),
  );
}

/** Answers a change: with the changed parts if a script of the page asked, else with the whole page. */
export async function changed(page: PageRequest, receiver: string, toast?: Toast): Promise<PageAnswer> {
  const filters = readFilters(page.query);
  if (!page.isPartial) {
    const target = page.link(`${inboxPath}${encodeURIComponent(receiver)}/`, filters);
    return page.redirect(target, toast);
  }
  const answer = threadParts(page, await loadOpen(page, receiver, filters), filters);
  // Everything that changed says itself where it belongs.
  return { ...answer, headers: { 'HX-Reswap': 'none', 'HX-Trigger': triggers(toast) } };
}

async function sendMessage(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  // The page keeps its field with its content.
  const isText = page.isPartial && (page.form['mode'] ?? 'text') === 'text';
  const answered = await answeredMeanwhile(page, receiver);
  if (answered && isText) return askFirst(answered);
  const sent = answered
    ? { errors: { [answeredField]: [answered.text] } }
    : await page.attempt(async () =>
        page.callOnce('messages.create', page.form['once'] ?? '', await readMessage(page, receiver)),
      );
  const filters = readFilters(page.query);
  if ('errors' in sent) {
    if (isText) return { status: 422, html: '', headers: { 'HX-Trigger': triggers(refusalOf(sent.errors)) } };
    if (page.isPartial) {
      const composer = await loadComposer(page, await loadThread(page, receiver), filters, page.form, sent.errors);
      return page.part('/inbox/composer', { composer }, { status: 422 });
    }
    const open = await loadOpen(page, receiver, filters);
    const data = await conversationData(page, open, filters, page.form, sent.errors);
    const how = { ...options(open.thread.title), status: 422 };
    return indexPage(page, filters, await listData(page, filters), data, how);
  }
  const { message_status: status, send_at: at } = sent.value as Record<string, unknown>;
  const toast: Toast | undefined =
    status === 'scheduled' ? { text: `It is sent ${page.moment(String(at))}.` } : undefined;
  if (!page.isPartial) return changed(page, receiver, toast);
  const open = await loadOpen(page, receiver, filters);
  const parts = threadParts(page, open, filters);
  const answer = isText
    ? parts
    : page.together(page.part('/inbox/composer', { composer: await loadComposer(page, open.thread, filters) }), parts);
  return { ...answer, headers: { 'HX-Trigger': triggers(toast) } };
}

async function changeState(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const { form } = page;
  const change: Record<string, unknown> = { receiver_id: receiver };
  for (const name of ['conv_status', 'priority', 'assigned_member', 'assigned_team_inbox'])
    if (form[name] !== undefined) change[name] = form[name];
  if (Object.keys(change).length === 1) return refused(page, receiver, nothingChosen);
  if (form['conv_status'] === 'snoozed') change['snoozed_until'] = readSnooze(form, page.workspace.timezone);
  const before = await page.call<WireConversation>('conversations.get', { receiver_id: receiver });
  const done = await page.attempt(() => page.call<WireConversation>('conversations.update', change));
  if ('errors' in done) return refused(page, receiver, done.errors);
  return changed(page, receiver, { text: await wordsOf(page, done.value, form), ...undoOf(before, done.value) });
}

/** Undoes the last change. Another conversation may be open by now, so its parts are requested again. */
async function undo(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const done = await page.attempt(() => undoChange(page, receiver));
  const toast: Toast =
    'errors' in done
      ? { text: Object.values(done.errors).flat().join(' '), kind: 'bad' }
      : done.value
        ? { text: 'Taken back.' }
        : { text: 'It was changed again meanwhile, so it stays as it is.', kind: 'bad' };
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
  if (form['conv_status'] === 'snoozed') return `Snoozed until ${page.moment(conversation.snoozed_until)}.`;
  if (form['conv_status'] !== undefined)
    return (
      { resolved: `${name} is done.`, open: `${name} is open.`, spam: `${name} is spam.` }[form['conv_status']] ??
      `${name}: ${form['conv_status']}.`
    );
  if (form['priority'] !== undefined) return `Priority: ${conversation.priority}.`;
  const { members, inboxes } = await loadTeam(page);
  const member = members.find(({ id }) => id === conversation.assigned_member);
  const inbox = inboxes.find(({ id }) => id === conversation.assigned_team_inbox);
  if (form['assigned_team_inbox'] !== undefined) return inbox ? `In ${inbox.name} now.` : 'In no team inbox now.';
  return member ? `Assigned to ${member.name || member.email}.` : 'Assigned to nobody.';
}

/** A form that says nothing changes nothing, and is told so. */
export const nothingChosen: FieldErrors = { non_field_errors: ['Nothing was chosen, so nothing was changed.'] };

/** A refusal of something that has no form of its own to show it in. */
export async function refused(page: PageRequest, receiver: string, errors: FieldErrors): Promise<PageAnswer> {
  return changed(page, receiver, refusalOf(errors));
}

/** Says in a toast why something was refused. */
function refusalOf(errors: FieldErrors): Toast {
  return { text: Object.values(formErrors(errors)).flat().join(' '), kind: 'bad' };
}

async function changeDetails(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  const before = await page.call<WireConversation>('conversations.get', { receiver_id: receiver });
  const done = await page.attempt(() => saveDetails(page, before));
  if (!('errors' in done) && !page.isPartial)
    return changed(page, receiver, { text: 'Saved.', ...(done.value ? undoOf(before, done.value) : {}) });
  const filters = readFilters(page.query);
  const open = await loadOpen(page, receiver, filters);
  if (!('errors' in done)) {
    const data = { head: headView(page, { filters, ...open }), ...open };
    const head = page.part('/inbox/head', { ...data, outOfBand: true });
    const answer = page.together(page.part('/inbox/details', data), head);
    const toast = { text: 'Saved.', ...(done.value ? undoOf(before, done.value) : {}) };
    return { ...answer, headers: { 'HX-Trigger': triggers(toast) } };
  }
  const details = await loadDetails(page, open.thread, filters, page.form, done.errors);
  if (page.isPartial) return page.part('/inbox/details', { details }, { status: 422 });
  const data = { ...(await conversationData(page, open, filters)), details };
  const how = { ...options(open.thread.title), status: 422 };
  return indexPage(page, filters, await listData(page, filters), data, how);
}

async function markRead(page: PageRequest): Promise<PageAnswer> {
  const receiver = page.params['receiver'] ?? '';
  await page.call('conversations.read', { receiver_id: receiver });
  return page.isPartial ? { status: 204, html: '', headers: { 'HX-Trigger': triggers() } } : changed(page, receiver);
}

/** Passes a file on for the thread; what is not a picture, sound or film is saved, never opened here. */
async function sendMedia(page: PageRequest): Promise<typeof handled> {
  const media = await page.call<unknown>('messages.media', { id: page.params['id'] ?? '' });
  if (!isStream(media)) throw new Error('the media operation gives a stream');
  return page.stream(media);
}
