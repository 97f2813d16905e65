import { convStatuses, priorities } from '../../../../models/enums';
import {
  boolean,
  choice,
  commaList,
  datetime,
  described,
  email,
  Fault,
  field,
  input,
  integer,
  tags,
  jsonObject,
  nullable,
  text,
  type Field,
} from '../../../core/http/fields';
import { orderingField, pagingQuery, type SortColumn } from '../../../core/http/paging';
import { bsuidField, phoneField } from './identity';
import { reason } from '../reasons';

/** Text that a DRF serializer would declare with `allow_null`: null means empty. */
const emptyable = (schema: Field<string>): Field<string | null> => nullable(schema);

/** Writable profile fields of a contact. */
export const profile = {
  name: emptyable(text({ max: 255 })),
  email: emptyable(email()),
  company: emptyable(text({ max: 255 })),
  notes: emptyable(text()),
  tags: described(nullable(tags()), 'Any JSON value; replaces the whole value.', ['vip', 'newsletter']),
  custom_fields: jsonObject(),
  marketing_opt_out: boolean(),
};

/** `POST /contacts/` (contract 5). */
export const createContactInput = input({ phone: nullable(phoneField()), bsuid: nullable(bsuidField()), ...profile });

/** `none` or an id. */
export function noneOrPk(): Field<'none' | number> {
  const inner = integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  return field<'none' | number>({ type: 'string', description: 'An id, or `none`.' }, (raw) => {
    if (raw === 'none') return 'none';
    try {
      return inner.validateSync(raw) as number;
    } catch {
      return new Fault(reason('noneOrId'));
    }
  });
}

/** Returns the filter by a tag. */
export function tagFilter(): Field<string> {
  return described(text({ max: 255, blank: false }), 'Only those that have this tag.');
}

/** Filters by time that several lists have. */
export const timeFilters = {
  created_after: described(datetime(), 'Only those that were created after this time.'),
  created_before: described(datetime(), 'Only those that were created before this time.'),
  updated_after: described(datetime(), 'Only those that changed after this time.'),
};

/** Columns by which contacts can be ordered. */
export const contactSortColumns: Readonly<Record<string, SortColumn>> = {
  created_at: { sql: 'c.created_at', type: 'timestamptz' },
  updated_at: { sql: 'c.updated_at', type: 'timestamptz' },
  name: { sql: 'lower(c.name)', type: 'text' },
};

/** Filters of `GET /contacts/`. */
export const contactFilters = {
  search: described(
    text({ max: 255 }),
    'Text that the phone, name, email, company, username or bsuid contains, in upper or lower case.',
  ),
  tag: tagFilter(),
  conv_status: commaList(choice(convStatuses)),
  assigned_member: described(noneOrPk(), 'The `id` of a team member, or `none` for no assignee.'),
  assigned_team_inbox: described(noneOrPk(), 'The `id` of a team inbox, or `none`.'),
  priority: commaList(choice(priorities)),
  opted_out: described(boolean(), 'Whether the contact opted out of marketing.'),
  ...timeFilters,
  custom_field: described(
    jsonObject(),
    'Only contacts with this value of a custom field: `custom_field.<name>=value`. For a multi_select, one of its ' +
      'options.',
  ),
};

/** `GET /contacts/` (contract 5). */
export const listContactsQuery = input({
  ...contactFilters,
  ordering: orderingField(contactSortColumns),
  ...pagingQuery,
});
