import type { Ctx } from '../../../core/context';
import type { Bind } from '../../../core/db/database';
import type { InputOf } from '../../../core/http/fields';
import type { Page } from '../../../core/http/operations';
import { listPage } from '../../../core/http/paging';
import { valueConditions } from '../customFields/values';
import { digitsOfTerm, spelledOtherwise, spellingsOf } from '../../../core/phones';
import { parseRecipient } from './identity';
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
  bind['search'] = cleaned;
  const numbers = numbersOf(cleaned).filter((digits) => digits !== cleaned);
  const found = numbers.map((digits, index) => {
    bind[`digits${index}`] = `%${digits}%`;
    return `c.search_text LIKE $digits${index}`;
  });
  return [`(${['c.search_text LIKE fold_pattern($search)', ...found, ...otherLine(cleaned, bind)].join(' OR ')})`];
}

/** Finds who has the number or user id that a term is in full beside their present one. */
function otherLine(term: string, bind: Bind): string[] {
  const named = parseRecipient(term);
  if (!named) return [];
  bind['others'] = named.phone === null ? [named.bsuid] : spellingsOf(named.phone);
  return [
    `c.id = ANY(ARRAY(SELECT contact_id FROM contact_aliases WHERE workspace_id = $workspaceId
      AND kind = '${named.phone === null ? 'bsuid' : 'phone'}' AND value = ANY($others::text[])
      AND valid_until IS NULL))`,
  ];
}

/**
 * Returns what a number may be stored as: however it is parted, from its national or international beginning, and in
 * the other spelling of its line.
 */
function numbersOf(term: string): string[] {
  const digits = digitsOfTerm(term);
  if (digits === null) return [];
  const national = digits.replace(/^00?/, '');
  const bare = national.replace('+', '');
  return bare === '' ? [] : [...new Set([digits, national, ...spelledOtherwise(bare, /^(\+|00)/.test(digits))])];
}

/**
 * Returns whether filters may find little that lies far behind in the list's order, where an index of their own finds
 * it. A search is one from three letters or digits in a row: the trigram index knows nothing shorter.
 */
export function isSelective(filters: Pick<ContactFilters, 'search' | 'tag' | 'updated_after'>): boolean {
  const { search = '', tag, updated_after: updatedAfter } = filters;
  return /[\p{L}\p{N}]{3}/u.test(search) || tag !== undefined || updatedAfter !== undefined;
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
      selective: isSelective(filters),
    },
    filters,
  );
}
