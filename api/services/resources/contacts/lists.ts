import type { Ctx } from '../../../core/context';
import type { Bind } from '../../../core/db/database';
import type { InputOf } from '../../../core/http/fields';
import type { Page } from '../../../core/http/operations';
import { likePattern, listPage } from '../../../core/http/paging';
import { valueConditions } from '../customFields/values';
import { contactSortColumns, type listContactsQuery } from './schema';
import { contactColumns, type ContactView } from './serializer';

/** Filters of `GET /contacts/`. */
type ContactFilters = InputOf<typeof listContactsQuery>;

/** Returns the conditions on a conversation that contact and conversation lists share; adds their values to `bind`. */
export function stateConditions(
  filters: Pick<ContactFilters, 'conv_status' | 'assigned_member' | 'assigned_team_inbox' | 'priority'>,
  bind: Bind,
): string[] {
  const where: string[] = [];
  for (const [column, name, values] of [
    ['conv_status', 'convStatus', filters.conv_status],
    ['priority', 'priority', filters.priority],
  ] as const) {
    if (!values) continue;
    // With equality to one value an index returns the rows in the order of the list.
    const [first] = values;
    where.push(values.length === 1 ? `v.${column} = $${name}` : `v.${column} = ANY($${name}::text[])`);
    bind[name] = values.length === 1 ? first : values;
  }
  for (const [column, name, value] of [
    ['assigned_member_id', 'member', filters.assigned_member],
    ['assigned_team_inbox_id', 'inbox', filters.assigned_team_inbox],
  ] as const) {
    if (value === undefined) continue;
    where.push(value === 'none' ? `v.${column} IS NULL` : `v.${column} = $${name}`);
    if (value !== 'none') bind[name] = value;
  }
  return where;
}

/** Returns the condition of a search term on `search_text`, or none for an empty term. */
export function searchCondition(term: string | undefined, bind: Bind): string[] {
  // The control character that separates the fields of search_text is in no term: a match never crosses two fields.
  const cleaned = (term ?? '').replace(/[\u0001-\u001f]/g, ' ').trim();
  if (cleaned === '') return [];
  bind['search'] = likePattern(cleaned);

  const digits = /^[+\d\s().-]+$/.test(cleaned) ? cleaned.replace(/[\s().-]/g, '') : null;
  if (digits === null || digits === cleaned || digits.replace('+', '') === '')
    return ['c.search_text LIKE lower($search)'];
  // A number typed with spaces and dashes is looked for as its digits too.
  bind['searchDigits'] = likePattern(digits);
  return ['(c.search_text LIKE lower($search) OR c.search_text LIKE $searchDigits)'];
}

/**
 * Returns whether the trigram index can look the term up: it knows nothing shorter than three letters or digits in a
 * row.
 */
export function isIndexed(term: string | undefined): boolean {
  return /[\p{L}\p{N}]{3}/u.test(term ?? '');
}

/** Returns the contacts of the workspace, filtered. */
export async function listContacts(ctx: Ctx, filters: ContactFilters): Promise<Page<ContactView>> {
  const bind: Bind = { workspaceId: ctx.workspaceId };
  const state = stateConditions(filters, bind);
  const where = ['c.workspace_id = $workspaceId', ...searchCondition(filters.search, bind), ...state];

  if (filters.tag !== undefined) {
    where.push('c.tags @> $tag::jsonb');
    bind['tag'] = JSON.stringify([filters.tag]);
  }
  if (filters.opted_out !== undefined)
    where.push(filters.opted_out ? 'c.marketing_opt_out' : 'NOT c.marketing_opt_out');
  for (const [name, condition] of [
    ['created_after', 'c.created_at > $created_after'],
    ['created_before', 'c.created_at < $created_before'],
    ['updated_after', 'c.updated_at > $updated_after'],
  ] as const) {
    const value = filters[name];
    if (value === undefined) continue;
    where.push(condition);
    bind[name] = value;
  }
  where.push(...(await valueConditions(ctx, 'contacts', filters.custom_field, 'c.custom_fields', bind)));

  const from = state.length > 0 ? 'contacts c JOIN conversations v ON v.contact_id = c.id' : 'contacts c';
  return listPage<ContactView>(
    ctx,
    {
      select: `${contactColumns}, c.created_at, c.updated_at`,
      from,
      where,
      bind,
      idSql: 'c.id',
      columns: contactSortColumns,
      defaultOrdering: '-created_at',
      selective: isIndexed(filters.search),
    },
    filters,
  );
}
