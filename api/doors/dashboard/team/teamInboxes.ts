import { AppError, type FieldErrors } from '../../../core/http/errors';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { loadMembers, memberNames } from '../lookups';
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
      const names = memberNames(members);
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
    path: `${path}:id/assignment/`,
    scope,
    run: async (page) => {
      const saved = await page.attempt(() => page.call('teamInboxes.changeAssignment', capacitiesOf(page)));
      if (!('errors' in saved)) return page.redirect(path, { text: 'The assignment is saved.' });
      const inbox = await find(page);
      return form(page, inbox, inbox, undefined, saved.errors);
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

/** How a team inbox assigns, as its operation gives it. */
interface WireAssignment {
  readonly mode: string;
  readonly waiting: number;
  readonly capacities: readonly { readonly member_id: number; readonly capacity: number | null }[];
  readonly members: readonly {
    readonly member_id: number;
    readonly is_present: boolean;
    readonly open: number;
  }[];
}

/** The form that says how a team inbox assigns. */
interface AssignmentView extends Pick<WireAssignment, 'mode'> {
  readonly modes: readonly { readonly value: string; readonly label: string }[];
  readonly waiting: string;
  readonly seats: readonly {
    readonly field: string;
    readonly label: string;
    readonly capacity: number | string;
    readonly about: string;
  }[];
  readonly errors: FieldErrors | undefined;
}

const modes = [
  { value: 'manual', label: 'By hand' },
  { value: 'round_robin', label: 'In turns' },
  { value: 'balanced', label: 'Whoever has the fewest open' },
];
const capacityPrefix = 'capacity-';

async function assignmentView(
  page: PageRequest,
  inbox: TeamInbox,
  names: ReadonlyMap<number, string>,
  errors?: FieldErrors,
): Promise<AssignmentView> {
  const { mode, waiting, members, capacities } = await page.call<WireAssignment>('teamInboxes.assignment', {
    id: inbox.id,
  });
  return {
    mode,
    modes,
    waiting: waiting === 0 ? 'Nobody waits for a member.' : `${waiting} wait for a member.`,
    seats: members.map(({ member_id: id, is_present: isPresent, open }) => ({
      field: `${capacityPrefix}${id}`,
      label: `Most open conversations of ${names.get(id) ?? id}`,
      capacity: capacities.find((one) => one.member_id === id)?.capacity ?? '',
      about: `Has ${open} now${isPresent ? '' : ', and is away'}. Empty: as many as come.`,
    })),
    errors,
  };
}

/** Reads the form of the assignment. */
function capacitiesOf(page: PageRequest): Record<string, unknown> {
  const fields = Object.entries(page.form).filter(([name]) => name.startsWith(capacityPrefix));
  const capacities = fields.map(([name, capacity]) => ({
    member_id: name.slice(capacityPrefix.length),
    capacity: capacity === '' ? null : capacity,
  }));
  return { id: page.params['id'], mode: page.form['mode'], capacities };
}

async function form(
  page: PageRequest,
  inbox: TeamInbox | null,
  values: object,
  errors?: FieldErrors,
  assignmentErrors?: FieldErrors,
): Promise<PageAnswer> {
  const known = await loadMembers(page);
  const names = memberNames(known);
  const members = known.filter(({ is_active: isActive }) => isActive);
  const assignment = inbox && (await assignmentView(page, inbox, names, assignmentErrors));
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
      assignment,
      path,
      action: `${path}${inbox?.id ?? 'new'}/`,
      button: inbox ? 'Save' : 'Create',
    },
    { section, title: inbox ? 'Team inbox' : 'New team inbox', ...(errors || assignmentErrors ? { status: 422 } : {}) },
  );
}
