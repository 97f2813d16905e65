import type { PageRequest } from '../page';

/** The lists that a team works through; further filters narrow them. */
export const inboxViews = [
  { id: 'open', label: 'Open', query: { status: 'open,pending' } },
  { id: 'mine', label: 'Mine', query: { status: 'open,pending', assigned_member: 'me' } },
  { id: 'unassigned', label: 'Unassigned', query: { status: 'open,pending', assigned_member: 'none' } },
  { id: 'snoozed', label: 'Snoozed', query: { status: 'snoozed' } },
  { id: 'resolved', label: 'Done', query: { status: 'resolved,converted' } },
  { id: 'all', label: 'All', query: {} },
] as const;

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
  return filterNames.some((name) => name !== 'view' && name !== 'search' && filters[name] !== undefined);
}

/** Returns what the list operation is asked. */
export function listQuery(page: PageRequest, filters: InboxFilters): Record<string, string> {
  const view = inboxViews.find(({ id }) => id === filters.view) ?? inboxViews[0];
  // Somebody who searches wants whoever they search for, whatever became of the conversation.
  const base: Record<string, string> =
    filters.search !== undefined && filters.view === undefined ? {} : { ...view.query };
  const { view: _view, ...given } = filters;
  const query: Record<string, string> = { ...base, ...given };
  if (query['assigned_member'] === 'me') query['assigned_member'] = String(page.member.id);
  return query;
}
