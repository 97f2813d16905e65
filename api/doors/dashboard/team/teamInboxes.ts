import { AppError, type FieldErrors } from '../../../core/http/errors';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { loadMembers } from '../lookups';
import { settingsPage } from './settings';

const path = '/dashboard/team-inboxes/';
const scope = 'workspace.manage';
const section = 'inboxes';

interface TeamInbox {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly member_ids: readonly number[];
  readonly is_default: boolean;
}

/** A team inbox as a row of the list. */
interface InboxRow extends Pick<TeamInbox, 'name' | 'description' | 'is_default'> {
  readonly people: string;
  readonly path: string;
}

function inboxRow(inbox: TeamInbox, names: ReadonlyMap<number, string>): InboxRow {
  const { id, name, description, is_default, member_ids: members } = inbox;
  const people = members.map((member) => names.get(member) ?? String(member)).join(', ');
  return { name, description, is_default, people: people || 'Nobody sits in it', path: `${path}${id}/` };
}

/** Team inboxes and who sits in them. */
export const teamInboxPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'inbox.view',
    run: async (page) => {
      const [found, members] = await Promise.all([
        page.call<readonly TeamInbox[]>('teamInboxes.list'),
        loadMembers(page),
      ]);
      const names = new Map(members.map(({ id, name, email }) => [id, name || email]));
      const inboxes = found.map((inbox) => inboxRow(inbox, names));
      return settingsPage(page, '/settings/inboxes', { inboxes, path }, { section, title: 'Team inboxes' });
    },
  },
  { method: 'GET', path: `${path}new/`, scope, run: (page) => form(page, null, { member_ids: [] }) },
  {
    method: 'POST',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      const values = valuesOf(page);
      const made = await page.attempt(() => page.call('teamInboxes.create', values));
      if ('errors' in made) return form(page, null, values, made.errors);
      return page.redirect(path, { text: 'The team inbox is made.' });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const inbox = await find(page);
      return form(page, inbox, inbox);
    },
  },
  {
    method: 'POST',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const values = valuesOf(page);
      const isDefault = page.form['is_default'];
      const saved = await page.attempt(() =>
        page.call('teamInboxes.update', {
          id: page.params['id'],
          ...values,
          ...(isDefault === undefined ? {} : { is_default: isDefault }),
        }),
      );
      if ('errors' in saved) return form(page, await find(page), values, saved.errors);
      return page.redirect(path, { text: 'The team inbox is saved.' });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope,
    confirm: {
      title: 'Delete this team inbox?',
      text: 'Its conversations and tickets are assigned to none. This cannot be undone.',
      button: 'Delete',
    },
    run: async (page) => {
      const gone = await page.attempt(() => page.call('teamInboxes.delete', { id: page.params['id'] }));
      if ('errors' in gone) {
        const inbox = await find(page);
        return form(page, inbox, inbox, gone.errors);
      }
      return page.redirect(path, { text: 'The team inbox is deleted.' });
    },
  },
]);

async function find(page: PageRequest): Promise<TeamInbox> {
  const inboxes = await page.call<readonly TeamInbox[]>('teamInboxes.list');
  const inbox = inboxes.find(({ id }) => String(id) === page.params['id']);
  if (!inbox) throw new AppError('not_found', 'Not found.');
  return inbox;
}

function valuesOf(page: PageRequest): { name?: string; description?: string; member_ids: number[] } {
  const { name = '', description = '' } = page.form;
  return { name, description, member_ids: page.all('member_ids').map(Number) };
}

async function form(
  page: PageRequest,
  inbox: TeamInbox | null,
  values: object,
  errors?: FieldErrors,
): Promise<PageAnswer> {
  const members = (await loadMembers(page)).filter(({ is_active: isActive }) => isActive);
  const people = members.map(({ id, name, email }) => ({ value: id, label: name || email, detail: email }));
  return settingsPage(
    page,
    '/settings/inboxForm',
    {
      inbox,
      heading: inbox?.name ?? 'New team inbox',
      values,
      errors,
      people,
      path,
      action: `${path}${inbox?.id ?? 'new'}/`,
      button: inbox ? 'Save' : 'Create',
    },
    { section, title: inbox ? 'Team inbox' : 'New team inbox', ...(errors ? { status: 422 } : {}) },
  );
}
