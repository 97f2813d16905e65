import { convStatuses } from '../../../../models/enums';
import type { InboxViewName } from '../../../services/resources/savedViews/schema';
import { optionsOf, peopleOptions, sentence, type FieldGiven, type Option, type TabView } from '../fieldViews';
import type { Team } from '../lookups';
import type { PageRequest } from '../page';
import { words } from '../words';

const { views: viewNames, filters: said, statuses, priorities } = words.inbox;

/** People whom only a broadcast, a stage notification or an import has touched are no work. */
const openWork = { status: 'open,pending', has_exchange: 'true' } as const;

export const inboxPath = '/dashboard/inbox/';
export const searchPath = '/dashboard/messages/';

/** The lists that a team works through; further filters narrow them. */
const inboxViews = [
  { id: 'waiting', query: { waiting: 'true' } },
  { id: 'mine', query: { status: 'open,pending', assigned_member: 'me' } },
  { id: 'unassigned', query: { ...openWork, assigned_member: 'none' } },
  { id: 'open', query: openWork },
  { id: 'snoozed', query: { status: 'snoozed' } },
  { id: 'resolved', query: { status: 'resolved,converted' } },
  { id: 'all', query: {} },
] as const satisfies readonly { readonly id: InboxViewName; readonly query: object }[];

/** A view as a tab, with how many it lists; empty: none, or not counted. */
export interface ViewTab extends TabView {
  readonly count: string;
}

/** A view that the member has saved. */
interface SavedView {
  readonly id: number;
  readonly name: string;
  readonly filters: InboxFilters;
}

/** Returns the views as tabs, those that the member saved behind the others. */
export async function viewTabs(
  page: PageRequest,
  filters: InboxFilters,
  counts: Readonly<Record<string, string>> = {},
): Promise<readonly ViewTab[]> {
  const current = viewOf(filters);
  const own = await page.callIfPermitted<readonly SavedView[]>('views.list', {}, []);
  return [
    ...inboxViews.map(({ id }) => {
      const count = counts[id] ?? '0';
      const href = page.link(inboxPath, { view: id });
      const isCurrent = id === current && filters.saved === undefined;
      return { label: viewNames[id], href, isCurrent, count: count === '0' ? '' : count };
    }),
    ...own.map(({ id, name, filters: kept }) => {
      const href = page.link(inboxPath, { ...kept, saved: id });
      return { label: name, href, isCurrent: filters.saved === String(id), count: '' };
    }),
  ];
}

/** Where the filters in use are saved, or the saved view is deleted; empty where there is nothing to do. */
interface ViewActions {
  readonly save: string;
  readonly remove: string;
}

/** Returns what can be done with the filters in use. */
export function viewActions(page: PageRequest, filters: InboxFilters): ViewActions {
  const { saved, cursor: _cursor, ...kept } = filters;
  const isNew = saved === undefined && (isNarrowed(filters) || filters.search !== undefined);
  const own = saved !== undefined && page.may('views.delete') ? encodeURIComponent(saved) : '';
  return {
    save: isNew && page.may('views.create') ? page.link(`${inboxPath}views/`, kept) : '',
    remove: own && `${inboxPath}views/${own}/delete/`,
  };
}

/** Views with a number: how many conversations they list. */
export const countedViews = ['waiting', 'mine', 'unassigned', 'open', 'snoozed'] as const;

const filterNames = [
  'view',
  'search',
  'status',
  'assigned_member',
  'assigned_team_inbox',
  'priority',
  'tag',
  'unread',
  'window_open',
  'saved',
] as const;

/** What the address says of the list. */
export type InboxFilters = Partial<Record<(typeof filterNames)[number] | 'cursor', string>>;

/** Reads the filters of the address; unknown parameters are left alone. */
export function readFilters(query: Readonly<Record<string, string>>): InboxFilters {
  return Object.fromEntries(
    [...filterNames, 'cursor'].filter((name) => query[name] !== undefined).map((name) => [name, query[name]]),
  );
}

/** Returns whether anything narrows the list beyond its view. */
export function isNarrowed(filters: InboxFilters): boolean {
  return filterNames.some((name) => !['view', 'search', 'saved'].includes(name) && filters[name] !== undefined);
}

/** Returns the id of the view that is shown; none where all are searched. */
export function viewOf(filters: InboxFilters): string {
  return filters.view ?? (filters.search === undefined ? inboxViews[0].id : '');
}

/** Returns what the list operation is asked. What only a broadcast has moved stays in its place. */
export function listQuery(page: PageRequest, filters: InboxFilters): Record<string, string> {
  const view = inboxViews.find(({ id }) => id === filters.view) ?? inboxViews[0];
  // A search looks in all conversations, whatever their status and assignee.
  const base: Record<string, string> =
    filters.search !== undefined && filters.view === undefined ? {} : { ...view.query };
  const { view: _view, saved: _saved, ...given } = filters;
  const order: Record<string, string> = base['waiting'] === undefined ? { ordering: '-last_exchange_at' } : {};
  const query: Record<string, string> = { ...order, ...base, ...given };
  if (query['assigned_member'] === 'me') query['assigned_member'] = String(page.member.id);
  return query;
}

const any = (): Option => ({ value: '', label: said.any });

/** Returns the fields of the filter form. */
export function filterFields(filters: InboxFilters, team: Team): FilterField[] {
  const select = (name: keyof InboxFilters, label: string, options: readonly Option[]): FilterField => ({
    name,
    label,
    type: 'select',
    value: filters[name],
    options,
  });
  const tick = (name: keyof InboxFilters, label: string): FilterField => ({
    name,
    label,
    type: 'checkbox',
    value: filters[name],
  });
  const inboxes = team.inboxes.map(({ id, name }) => ({ value: id, label: name }));
  return [
    select('status', said.status, [
      any(),
      ...convStatuses.map((value) => ({ value, label: sentence(statuses[value]) })),
    ]),
    select('assigned_member', said.assigned, [
      ...optionsOf([
        ['', said.anybody],
        ['me', said.me],
        ['none', said.nobody],
      ]),
      ...peopleOptions(team.members),
    ]),
    ...(inboxes.length > 0
      ? [select('assigned_team_inbox', said.inbox, [any(), { value: 'none', label: said.none }, ...inboxes])]
      : []),
    select('priority', said.priority, [
      any(),
      ...(['urgent', 'high', 'normal', 'low'] as const).map((value) => ({ value, label: sentence(priorities[value]) })),
    ]),
    { name: 'tag', label: said.tag, value: filters.tag, attributes: { maxlength: 255 } },
    tick('unread', said.unread),
    tick('window_open', said.windowOpen),
  ];
}

/** A field of the filter form. */
interface FilterField extends FieldGiven {
  readonly label: string;
  readonly options?: readonly Option[];
}

/** What has an id and a name. */
type Named = readonly { readonly id: number; readonly name: string }[];

/** A filter that is in use, and the filters that are left without it. */
interface FilterChip {
  readonly label: string;
  /** The list without it. */
  readonly href: string;
}

/** Returns what narrows the list, in words. */
export function chipsOf(
  page: PageRequest,
  filters: InboxFilters,
  team: { readonly members: Named; readonly inboxes: Named },
): FilterChip[] {
  const { chips } = said;
  const memberName = (id: string): string =>
    id === 'me' || id === String(page.member.id)
      ? chips.me
      : id === 'none'
        ? chips.nobody
        : chips.member(named(team.members, id));
  const texts: Partial<Record<keyof InboxFilters, (value: string) => string>> = {
    status: (value) => value.split(',').join(chips.or),
    assigned_member: memberName,
    assigned_team_inbox: (id) => (id === 'none' ? chips.noInbox : chips.inbox(named(team.inboxes, id))),
    priority: chips.priority,
    tag: chips.tag,
    unread: (value) => (value === 'true' ? chips.unread : chips.read),
    window_open: (value) => (value === 'true' ? chips.windowOpen : chips.windowClosed),
  };
  return Object.entries(texts).flatMap(([name, text]) => {
    const value = filters[name as keyof InboxFilters];
    if (value === undefined) return [];
    const { [name as keyof InboxFilters]: _removed, cursor: _cursor, saved: _saved, ...without } = filters;
    return [{ label: text(value), href: page.link(inboxPath, { ...without }) }];
  });
}

function named(list: Named, id: string): string | undefined {
  return list.find((one) => String(one.id) === id)?.name;
}
