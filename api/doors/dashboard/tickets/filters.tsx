import { optionsOf, peopleOptions, type Option, type TabView } from '../fieldViews';
import { FilterBar, type Filter } from '../filterBar';
import type { Html } from '../html';
import type { loadMembers } from '../lookups';
import type { PageRequest } from '../page';
import { words } from '../words';
import { choices, levels } from './labels';
import { ticketsPath, type Pipeline } from './read';

const { filters: said, views } = words.tickets;

const filterNames = [
  'search',
  'assigned_to',
  ...levels,
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
  readonly isList: boolean;
}

/** What board and list are narrowed by. */
export function TicketFilterBar(given: FilterGiven): Html {
  const { filters, pipeline, isList } = given;
  const query = { ...filters, pipeline: pipeline && String(pipeline.id), view: isList ? 'list' : undefined };
  const search = { label: said.search, placeholder: said.placeholder };
  return <FilterBar action={ticketsPath} query={query} search={search} filters={filtersFor(given)} />;
}

type Known = Exclude<keyof typeof said, 'search' | 'placeholder'>;

function filtersFor({ page, pipelines, pipeline, members, isList }: FilterGiven): Filter[] {
  const of = (name: Known, ...options: readonly Option[]): Filter => ({ name, label: said[name].label, options });
  const any = (label: string): Option => ({ value: '', label });
  const yesOrNo = (name: 'open' | 'sla_breached' | 'escalated'): Filter =>
    of(
      name,
      any(said[name].any),
      { value: 'true', label: said[name].true },
      { value: 'false', label: said[name].false },
    );
  const named = ({ id, name }: { readonly id: number; readonly name: string }): Option => ({ value: id, label: name });
  const stages = (pipeline ? [pipeline] : pipelines).flatMap((each) => each.stages);
  const me = page.member.id;
  return [
    ...(pipelines.length > 1
      ? [
          {
            ...of('pipeline', ...(isList ? [any(said.pipeline.all)] : []), ...pipelines.map(named)),
            // The board is always that of one.
            isFixed: !isList,
          },
        ]
      : []),
    ...(isList ? [yesOrNo('open'), of('stage', any(said.stage.any), ...stages.map(named))] : []),
    of(
      'assigned_to',
      any(said.assigned_to.any),
      { value: 'none', label: said.assigned_to.none },
      { value: me, label: said.assigned_to.me },
      ...peopleOptions(members.filter(({ id }) => id !== me)),
    ),
    ...levels.map((name) => of(name, any(said[name].any), ...choices[name]())),
    yesOrNo('sla_breached'),
    yesOrNo('escalated'),
    { name: 'tag', label: said.tag.label },
    { name: 'receiver_id', label: said.receiver_id.label },
    ...(isList ? [{ ...of('ordering', ...optionsOf(Object.entries(said.ordering.options))), isFixed: true }] : []),
  ];
}
