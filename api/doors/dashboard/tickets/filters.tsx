import { filterView, optionsOf, peopleOptions, type FilterView, type Option, type TabView } from '../fieldViews';
import { Icon, type Html } from '../html';
import type { loadMembers } from '../lookups';
import type { PageRequest } from '../page';
import { Filters } from '../parts';
import { words } from '../words';
import { choices } from './labels';
import { ticketsPath, type Pipeline } from './read';

const { filters: said, views } = words.tickets;

const filterNames = [
  'search',
  'assigned_to',
  'priority',
  'severity',
  'type',
  'tag',
  'receiver_id',
  'sla_breached',
  'escalated',
  'open',
  'stage',
  'ordering',
] as const;

/** What the address says of board or list. */
export type TicketFilters = Readonly<Record<string, string>>;

/** Returns the filters of an address that are known. */
export function filtersOf(query: TicketFilters): Record<string, string> {
  const known = filterNames as readonly string[];
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => known.includes(name) && value !== ''));
}

/** Returns the query of the board, for the forms that come back to it. */
export function viewOf(query: TicketFilters): string {
  return new URLSearchParams({
    ...filtersOf(query),
    ...(query['pipeline'] ? { pipeline: query['pipeline'] } : {}),
  }).toString();
}

/** Returns the ways to the board and to the list, with the filters of the one that is shown. */
export function viewTabs(query: TicketFilters, isList: boolean): readonly TabView[] {
  const href = `${ticketsPath}?${viewOf(query)}`;
  return [
    { label: views.board, href, isCurrent: !isList },
    { label: views.list, href: `${href}&view=list`, isCurrent: isList },
  ];
}

interface FilterGiven {
  readonly page: PageRequest;
  readonly pipelines: readonly Pipeline[];
  readonly pipeline: Pipeline | undefined;
  readonly members: Awaited<ReturnType<typeof loadMembers>>;
  readonly filters: TicketFilters;
  /** The page without filters; null: none is in use. */
  readonly clear: string | null;
  readonly isList: boolean;
}

/** What board and list are narrowed by. */
export function FilterForm(given: FilterGiven): Html {
  const { filters, clear, isList } = given;
  return (
    <form class="filters" method="get" action={ticketsPath} role="search">
      {isList && <input type="hidden" name="view" value="list" />}
      <label class="filter-search">
        <span class="visually-hidden">{said.search}</span>
        <input
          class="input"
          type="search"
          name="search"
          value={filters['search'] ?? ''}
          placeholder={said.placeholder}
          maxlength={255}
          data-key="/"
        />
      </label>
      <Filters filters={filterViews(given)} />
      <button class="button unscripted">{said.find}</button>
      {clear && (
        <a class="button-icon" href={clear}>
          <Icon name="x" />
          {said.clear}
        </a>
      )}
    </form>
  );
}

type Select = 'pipeline' | 'open' | 'assigned_to' | 'priority' | 'severity' | 'type' | 'sla_breached' | 'ordering';

/** Returns the selects above the board or the list. */
function filterViews({ page, pipelines, pipeline, members, filters, isList }: FilterGiven): FilterView[] {
  const view = (name: Select, options: readonly Option[]): FilterView =>
    filterView(name, said[name].label, options, name === 'pipeline' ? String(pipeline?.id ?? '') : filters[name]);
  const any = (label: string): Option => ({ value: '', label });
  const me = page.member.id;
  return [
    ...(pipelines.length > 1
      ? [
          view('pipeline', [
            ...(isList ? [any(said.pipeline.all)] : []),
            ...pipelines.map(({ id, name }) => ({ value: id, label: name })),
          ]),
        ]
      : []),
    ...(isList
      ? [
          view('open', [
            any(said.open.any),
            { value: 'true', label: said.open.true },
            { value: 'false', label: said.open.false },
          ]),
        ]
      : []),
    view('assigned_to', [
      any(said.assigned_to.any),
      { value: 'none', label: said.assigned_to.none },
      { value: me, label: said.assigned_to.me },
      ...peopleOptions(members.filter(({ id }) => id !== me)),
    ]),
    view('priority', [any(said.priority.any), ...choices.priority()]),
    view('severity', [any(said.severity.any), ...choices.severity()]),
    view('type', [any(said.type.any), ...choices.type()]),
    view('sla_breached', [
      any(said.sla_breached.any),
      { value: 'true', label: said.sla_breached.true },
      { value: 'false', label: said.sla_breached.false },
    ]),
    ...(isList ? [view('ordering', optionsOf(orders.map((order) => [order, said.ordering[order]])))] : []),
  ];
}

const orders = ['', '-updated_at', 'due_at', '-priority', 'severity', 'title'] as const;
