import { convStatuses } from '../../../../models/enums';
import { optionsOf, peopleOptions, sentence, type FieldGiven, type Option } from '../fieldViews';
import type { PageRequest } from '../page';
import { words } from '../words';
import { contactsPath } from './wire';

const { filters: said, statuses } = words.contacts;
const filterNames = ['search', 'tag', 'conv_status', 'assigned_member', 'priority', 'opted_out', 'ordering'] as const;
const customPrefix = 'custom_field.';

/** Filters of the list by name. */
export type ContactFilters = Readonly<Record<string, string>>;

/** Members by their ids, where the member may see them. */
type Members = Parameters<typeof peopleOptions>[0];

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

/** Returns the fields of the filter form. */
export function filterFields(filters: ContactFilters, members: Members): FieldGiven[] {
  const select = (name: string, label: string, options: readonly Option[]): FieldGiven => ({
    name,
    label,
    type: 'select',
    value: filters[name],
    options,
  });
  return [
    select('conv_status', said.status, [
      { value: '', label: said.anyStatus },
      ...convStatuses.map((value) => ({ value, label: sentence(statuses[value]) })),
    ]),
    select('assigned_member', said.assigned, [
      { value: '', label: said.anyAssignee },
      { value: 'none', label: said.unassigned },
      ...peopleOptions(members),
    ]),
    select(
      'opted_out',
      said.marketing,
      optionsOf([
        ['', said.anyMarketing],
        ['false', said.notOut],
        ['true', said.out],
      ]),
    ),
    { name: 'tag', label: said.tag, value: filters['tag'], attributes: { maxlength: 255, autocomplete: 'off' } },
    select(
      'ordering',
      said.order,
      optionsOf([
        ['', said.orders.newest],
        ['created_at', said.orders.oldest],
        ['-updated_at', said.orders.changed],
        ['name', said.orders.name],
      ]),
    ),
  ];
}

/** A filter that is in use, and the list without it. */
interface FilterChip {
  readonly label: string;
  readonly href: string;
}

/** Returns what narrows the list beside the search, in words. */
export function chipsOf(page: PageRequest, filters: ContactFilters, members: Members): FilterChip[] {
  const fields = filterFields(filters, members);
  return Object.entries(filters).flatMap(([name, value]) => {
    if (name === 'search' || name === 'ordering') return [];
    const option = fields.find((field) => field.name === name)?.options?.find((one) => String(one.value) === value);
    const plain = name === 'conv_status' || name === 'opted_out' || value === 'none';
    const { [name]: _without, ...others } = filters;
    const label = said.chips[name as keyof typeof said.chips] ?? name.replace(customPrefix, '');
    const shown = option?.label ?? value;
    return [{ label: plain && option ? shown : said.chip(label, shown), href: page.link(contactsPath, others) }];
  });
}
