import { convStatuses, priorities } from '../../../../models/enums';
import { optionsOf, peopleOptions, sentence, type Option } from '../fieldViews';
import { FilterBar, type Filter } from '../filterBar';
import type { Html } from '../html';
import type { loadMembers } from '../lookups';
import type { PageRequest } from '../page';
import { words } from '../words';
import { contactsPath } from './read';

const { filters: said, statuses, priorities: urgencies } = words.contacts;
const filterNames = ['search', 'tag', 'conv_status', 'assigned_member', 'priority', 'opted_out', 'ordering'] as const;
const customPrefix = 'custom_field.';

/** Filters of the list by name. */
export type ContactFilters = Readonly<Record<string, string>>;

/** Returns the filters of the list that the address carries, with those of custom fields. */
export function contactFilters(page: PageRequest): ContactFilters {
  return Object.fromEntries(
    Object.entries(page.query).filter(
      ([name]) => (filterNames as readonly string[]).includes(name) || name.startsWith(customPrefix),
    ),
  );
}

/** Returns the filters as an operation takes them in a body: without an order, custom fields in one object. */
export function matchingOf({ ordering: _ordering, ...filters }: ContactFilters): Record<string, unknown> {
  const entries = Object.entries(filters);
  const custom = entries.filter(([name]) => name.startsWith(customPrefix));
  const values = custom.map(([name, value]) => [name.slice(customPrefix.length), value] as const);
  return {
    ...Object.fromEntries(entries.filter(([name]) => !name.startsWith(customPrefix))),
    ...(custom.length > 0 ? { custom_field: Object.fromEntries(values) } : {}),
  };
}

interface FilterGiven {
  readonly filters: ContactFilters;
  readonly members: Awaited<ReturnType<typeof loadMembers>>;
}

/** Asks for what is found while the search is typed. */
const searching = {
  autocomplete: 'off',
  'hx-get': contactsPath,
  'hx-trigger': 'input changed delay:250ms, search',
  'hx-include': 'closest form',
  'hx-target': '#found',
  'hx-select': '#found',
  'hx-sync': 'this:replace',
};

/** What the list is narrowed by. */
export function ContactFilterBar({ filters, members }: FilterGiven): Html {
  const search = { label: said.search, placeholder: said.placeholder };
  return (
    <FilterBar
      action={contactsPath}
      query={filters}
      search={search}
      filters={filtersFor({ filters, members })}
      searching={searching}
    />
  );
}

function filtersFor({ filters, members }: FilterGiven): Filter[] {
  const of = (name: Exclude<keyof typeof said, 'search' | 'placeholder'>, options: readonly Option[]): Filter => ({
    name,
    label: said[name].label,
    options,
  });
  const any = (label: string): Option => ({ value: '', label });
  return [
    of('conv_status', [
      any(said.conv_status.any),
      ...convStatuses.map((value) => ({ value, label: sentence(statuses[value]) })),
    ]),
    of('assigned_member', [
      any(said.assigned_member.any),
      { value: 'none', label: said.assigned_member.none },
      ...peopleOptions(members),
    ]),
    of('priority', [
      any(said.priority.any),
      ...priorities.map((value) => ({ value, label: sentence(urgencies[value]) })),
    ]),
    of('opted_out', [
      any(said.opted_out.any),
      { value: 'false', label: said.opted_out.false },
      { value: 'true', label: said.opted_out.true },
    ]),
    { name: 'tag', label: said.tag.label },
    // Of custom fields those that the address names.
    ...Object.keys(filters)
      .filter((name) => name.startsWith(customPrefix))
      .map((name) => ({ name, label: name.slice(customPrefix.length) })),
    { ...of('ordering', optionsOf(Object.entries(said.ordering.options))), isFixed: true },
  ];
}
