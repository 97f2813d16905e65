import { undoSeconds } from '../../../services/processes/bulkChanges/service';
import { BulkHead, bulkData } from '../bulkParts';
import { Act } from '../formParts';
import { Icon, type Html } from '../html';
import { undoOfMany } from '../lastChange';
import type { Team } from '../lookups';
import type { Confirmation } from '../fieldViews';
import { definePages, type PageAnswer, type PageRequest, type Toast } from '../page';
import { words } from '../words';
import { Choices, type Choice } from '../menuChoices';
import { inboxPath, listQuery, readFilters, type InboxFilters } from './filters';
import { snoozePresets } from './snooze';
import { triggers } from './triggers';

const { bulk: said, view, statuses, priorities } = words.inbox;
const bulkPath = `${inboxPath}bulk/`;
const canBeTakenBack = (): string => said.canBeTakenBack(undoSeconds);

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
  { method: 'POST', path: `${bulkPath}undo/`, scope: 'chat.assign', run: undoMany },
  { method: 'POST', path: `${inboxPath}views/`, scope: 'chat.view', run: saveView },
  {
    method: 'POST',
    path: `${inboxPath}views/:id/delete/`,
    scope: 'chat.view',
    confirm: view.deletion,
    run: deleteView,
  },
]);

interface BulkGiven {
  readonly page: PageRequest;
  readonly filters: InboxFilters;
  /** How many match the filters. */
  readonly count: string;
  readonly team: Team;
}

/** The form that changes the selected conversations. */
export function BulkForm({ page, filters, count, team }: BulkGiven): Html {
  const action = page.link(bulkPath, filters);
  return (
    <Act
      class="bulk"
      id="bulk"
      action={action}
      csrf={page.csrf}
      aria-label={said.label}
      {...bulkData({ count, said }, canBeTakenBack())}
    >
      <BulkHead count={count} said={said} />
      <p class="row">
        <label class="visually-hidden" for="bulk-tag">
          {said.tagLabel}
        </label>
        <input class="input" id="bulk-tag" name="add_tags" placeholder={said.tag} maxlength={255} autocomplete="off" />
        <button class="button button-small" name="do" value="tag">
          <Icon name="tag" />
          {said.addTag}
        </button>
      </p>
      <p class="row">
        <button class="button button-small" name="conv_status" value="resolved">
          <Icon name="check" />
          {said.done}
        </button>
        {menus.map((name) => (
          <button class="button button-small" type="button" popovertarget={`bulk-${name}`}>
            {said.menus[name]}
          </button>
        ))}
      </p>
      {menus.map((name) => (
        <div class="menu menu-up" id={`bulk-${name}`} popover="auto">
          <Choices choices={choicesOf[name](page, team)} />
        </div>
      ))}
    </Act>
  );
}

const menus = ['assign', 'snooze', 'more'] as const;

const choicesOf: Readonly<Record<(typeof menus)[number], (page: PageRequest, team: Team) => readonly Choice[]>> = {
  assign: (_page, { answerers, inboxes }) => [
    ...answerers.map(({ id, name, email }) => ({ name: 'assigned_member', value: id, label: name || email })),
    { name: 'assigned_member', value: '', label: said.nobody },
    ...inboxes.map(({ id, name }) => ({ name: 'assigned_team_inbox', value: id, label: name })),
  ],
  snooze: (page) => snoozePresets(page.now, page.workspace.timezone).map((preset) => ({ name: 'until', ...preset })),
  more: () => [
    { name: 'do', value: 'unread', label: said.markUnread },
    ...(['urgent', 'high', 'normal', 'low'] as const).map((value) => ({
      name: 'priority',
      value,
      label: said.priority(priorities[value]),
    })),
    ...(['open', 'pending', 'spam'] as const).map((value) => ({
      name: 'conv_status',
      value,
      label: said.mark(statuses[value]),
    })),
  ],
};

/** Nobody sees all that match: they are never changed without a question. */
function askedFor(page: PageRequest): Confirmation | null {
  if (page.form['all'] !== 'true') return null;
  return {
    ...said.ask,
    text: `${said.ask.text} ${canBeTakenBack()}`,
  };
}

async function changeMany(page: PageRequest): Promise<PageAnswer> {
  const { form } = page;
  const filters = readFilters(page.query);
  const { ordering: _ordering, cursor: _cursor, ...matching } = listQuery(page, filters);
  const which = form['all'] === 'true' ? { filters: matching } : { receiver_ids: page.all('receiver') };
  if (form['do'] === 'unread') return markMany(page, filters, which);
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
  const text = said.changed(changed, refused);
  return answer(page, filters, { text, ...(id === null ? {} : undoOfMany('conversations', id)) });
}

async function markMany(
  page: PageRequest,
  filters: InboxFilters,
  which: Readonly<Record<string, unknown>>,
): Promise<PageAnswer> {
  const done = await page.attempt(() => page.call<{ marked: number }>('unreadMarks.create', which));
  if ('errors' in done) return answer(page, filters, refusalOf(done.errors), 422);
  return answer(page, filters, { text: said.markedUnread(done.value.marked) });
}

async function undoMany(page: PageRequest): Promise<PageAnswer> {
  const { id } = page.form;
  const done = await page.attempt(() => page.call<{ restored: number; kept: number }>('bulkChanges.undo', { id }));
  if ('errors' in done) return answer(page, {}, refusalOf(done.errors));
  const { restored, kept } = done.value;
  return answer(page, {}, { text: said.restored(restored, kept) });
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
  return page.redirect(page.link(inboxPath, { ...filters, saved: made.value.id }), { text: view.saved });
}

async function deleteView(page: PageRequest): Promise<PageAnswer> {
  await page.call('views.delete', { id: page.params['id'] });
  return page.redirect(inboxPath, { text: view.deleted });
}
