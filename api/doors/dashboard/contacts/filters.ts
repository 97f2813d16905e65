import { convStatuses } from '../../../../models/enums';
import { filterView, optionsOf, peopleOptions, sentence, type FilterView } from '../fieldViews';
import type { PageRequest } from '../page';
import { words } from '../words';

const { filters: said, statuses } = words.contacts;
const filterNames = ['search', 'tag', 'conv_status', 'assigned_member', 'priority', 'opted_out', 'ordering'] as const;

/** Filters of the list by name. */
export type ContactFilters = Readonly<Record<string, string>>;

/** Returns the filters of the list that the address carries, with those of custom fields. */
export function contactFilters(page: PageRequest): ContactFilters {
  return Object.fromEntries(
    Object.entries(page.query).filter(
      ([name]) => (filterNames as readonly string[]).includes(name) || name.startsWith('custom_field.'),
    ),
  );
}

/** Returns the selects above the list. */
export function filterViews(filters: ContactFilters, members: Parameters<typeof peopleOptions>[0]): FilterView[] {
  const view = (name: string, label: string, options: Parameters<typeof filterView>[2]): FilterView =>
    filterView(name, label, options, filters[name]);
  return [
    view('conv_status', said.status, [
      { value: '', label: said.anyStatus },
      ...convStatuses.map((value) => ({ value, label: sentence(statuses[value]) })),
    ]),
    view('assigned_member', said.assigned, [
      { value: '', label: said.anyAssignee },
      { value: 'none', label: said.unassigned },
      ...peopleOptions(members),
    ]),
    view(
      'opted_out',
      said.marketing,
      optionsOf([
        ['', said.anyMarketing],
        ['false', said.notOut],
        ['true', said.out],
      ]),
    ),
    view(
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
