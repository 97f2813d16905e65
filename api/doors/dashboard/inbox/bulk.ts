import { lastBulkChange, undoSeconds } from '../../../services/processes/bulkChanges/service';
import type { Team } from '../lookups';
import { definePages, toastEvent, type Confirmation, type PageAnswer, type PageRequest, type Toast } from '../page';
import { inboxPath, listQuery, readFilters, type InboxFilters } from './filters';
import { snoozePresets } from './snooze';
import { triggers } from './triggers';

/** A button of the form. */
interface Choice {
  readonly name: string;
  readonly value: string | number;
  readonly label: string;
  readonly detail?: string;
}

/** The form that changes the selected conversations. */
interface BulkView {
  readonly action: string;
  /** How many match the filters. */
  readonly count: string;
  /** What the question before a change of all that match says at its end. */
  readonly canBeTakenBack: string;
  readonly menus: readonly { readonly id: string; readonly label: string; readonly choices: readonly Choice[] }[];
}

const bulkPath = `${inboxPath}bulk/`;
const canBeTakenBack = `It can be taken back for ${undoSeconds} seconds.`;
/** Changes of many conversations, and views that a member saves. */
export const bulkPages = definePages([
  {
    method: 'POST',
    path: bulkPath,
    scope: 'chat.assign',
    // With scripts it is asked in the page (bulk.js), and said that it was.
    confirm: (page) => Promise.resolve(askedFor(page)),
    run: changeMany,
  },
  { method: 'GET', path: `${bulkPath}last/`, scope: 'chat.assign', run: offerUndo },
  { method: 'POST', path: `${bulkPath}undo/`, scope: 'chat.assign', run: undoMany },
  { method: 'POST', path: `${inboxPath}views/`, scope: 'chat.view', run: saveView },
  {
    method: 'POST',
    path: `${inboxPath}views/:id/delete/`,
    scope: 'chat.view',
    confirm: { title: 'Delete this view?', text: 'The conversations in it stay as they are.', button: 'Delete' },
    run: deleteView,
  },
]);

/** Returns the form; null for who may not change conversations. */
export function bulkView(page: PageRequest, filters: InboxFilters, count: string, team: Team): BulkView | null {
  if (!page.may('bulkChanges.create')) return null;
  const to = (name: string, options: readonly (readonly [string | number, string])[]): Choice[] =>
    options.map(([value, label]) => ({ name, value, label }));
  const people = team.answerers.map((one) => [one.id, one.name || one.email] as const);
  const inboxes = team.inboxes.map(({ id, name }) => [id, name] as const);
  const presets = snoozePresets(page.now, page.workspace.timezone);
  return {
    action: page.link(bulkPath, filters),
    count,
    canBeTakenBack,
    menus: [
      {
        id: 'bulk-assign',
        label: 'Assign',
        choices: [...to('assigned_member', [...people, ['', 'Nobody']]), ...to('assigned_team_inbox', inboxes)],
      },
      {
        id: 'bulk-snooze',
        label: 'Snooze',
        choices: presets.map(({ value, label, detail }) => ({ name: 'until', value, label, detail })),
      },
      {
        id: 'bulk-more',
        label: 'More',
        choices: [
          ...to('priority', [
            ['urgent', 'Priority: urgent'],
            ['high', 'Priority: high'],
            ['normal', 'Priority: normal'],
            ['low', 'Priority: low'],
          ]),
          ...to('conv_status', [
            ['open', 'Mark as open'],
            ['pending', 'Mark as pending'],
            ['spam', 'Mark as spam'],
          ]),
        ],
      },
    ],
  };
}

/** Nobody sees all that match: they are never changed without a question. */
function askedFor(page: PageRequest): Confirmation | null {
  if (page.form['all'] !== 'true') return null;
  return {
    title: 'Change all that match?',
    text: `All conversations that match are changed, also those that the list does not show. ${canBeTakenBack}`,
    button: 'Change all',
  };
}

async function changeMany(page: PageRequest): Promise<PageAnswer> {
  const { form } = page;
  const filters = readFilters(page.query);
  const { ordering: _ordering, cursor: _cursor, ...matching } = listQuery(page, filters);
  const which = form['all'] === 'true' ? { filters: matching } : { receiver_ids: page.all('receiver') };
  const change: Record<string, unknown> = {};
  for (const name of ['conv_status', 'priority']) if (form[name]) change[name] = form[name];
  for (const name of ['assigned_member', 'assigned_team_inbox'])
    if (form[name] !== undefined) change[name] = form[name] || null;
  if (form['until']) Object.assign(change, { conv_status: 'snoozed', snoozed_until: form['until'] });
  if (form['do'] === 'tag' && form['add_tags']) change['add_tags'] = [form['add_tags']];
  const done = await page.attempt(() =>
    page.call<{ id: number | null; changed: number; refused: number }>('bulkChanges.create', { ...which, change }),
  );
  // What is refused leaves the selection as it is (bulk.js).
  if ('errors' in done) return answer(page, filters, refusalOf(done.errors), 422);
  const { id, changed, refused } = done.value;
  const text = `${changed} changed.${refused > 0 ? ` ${refused} could not be.` : ''}`;
  return answer(page, filters, { text, ...(id === null ? {} : undoOf(id, undoSeconds)) });
}

const undoOf = (id: number, seconds: number): Pick<Toast, 'undo'> => ({
  undo: { action: `${bulkPath}undo/`, fields: { id: String(id) }, shownMs: seconds * 1_000 },
});

/** Offers to take back what the member did on another page a moment ago, which may have been left before its answer. */
async function offerUndo(page: PageRequest): Promise<PageAnswer> {
  const last = await lastBulkChange(page.ctx);
  if (!last) return { status: 204, html: '', headers: {} };
  const toast = { text: `${last.changed} changed.`, ...undoOf(last.id, last.seconds) };
  return { status: 204, html: '', headers: { 'HX-Trigger': toastEvent(toast) } };
}

async function undoMany(page: PageRequest): Promise<PageAnswer> {
  const { id } = page.form;
  const done = await page.attempt(() => page.call<{ restored: number; kept: number }>('bulkChanges.undo', { id }));
  if ('errors' in done) return answer(page, {}, refusalOf(done.errors));
  const { restored, kept } = done.value;
  const rest = kept > 0 ? ` ${kept} were changed again meanwhile and stay as they are.` : '';
  return answer(page, {}, { text: `${restored} taken back.${rest}` });
}

function answer(page: PageRequest, filters: InboxFilters, toast: Toast, status = 204): PageAnswer {
  if (!page.isPartial) return page.redirect(page.link(inboxPath, filters), toast);
  return { status, html: '', headers: { 'HX-Trigger': triggers(toast, { thread: true }) } };
}

function refusalOf(errors: Readonly<Record<string, readonly string[]>>): Toast {
  return { text: Object.values(errors).flat().join(' '), kind: 'bad' };
}

async function saveView(page: PageRequest): Promise<PageAnswer> {
  const { saved: _saved, cursor: _cursor, ...filters } = readFilters(page.query);
  const made = await page.attempt(() =>
    page.call<{ id: number }>('views.create', { name: page.form['name'], filters }),
  );
  if ('errors' in made) return page.redirect(page.link(inboxPath, filters), refusalOf(made.errors));
  return page.redirect(page.link(inboxPath, { ...filters, saved: made.value.id }), { text: 'The view is saved.' });
}

async function deleteView(page: PageRequest): Promise<PageAnswer> {
  await page.call('views.delete', { id: page.params['id'] });
  return page.redirect(inboxPath, { text: 'The view is deleted.' });
}
