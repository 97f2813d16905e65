import type { TicketRow } from '../../../../models';
import type { Bind } from '../../../core/db/database';
import { listTicketsQuery, type TicketFilters } from './schema';

type Column = keyof TicketRow & string;

/** A filter that is not simply the column of its own name. `$value` stands for what was asked. */
type Condition<T> =
  | { readonly column: Column }
  | { readonly sql: string; readonly value?: (asked: NonNullable<T>) => unknown }
  | { readonly whether: string };

/** Not conditions of their own: contacts by receiver_id are filters by id once they are found. */
const others = ['search', 'ordering', 'limit', 'offset', 'receiver_id', 'affected_receiver_id'] as const;
type Named = Exclude<keyof TicketFilters, (typeof others)[number]>;

/**
 * The conditions of filters on a ticket `t`. A filter with the name of a column asks for that column's value; one
 * without a column does not compile until it stands here.
 */
const conditions: { readonly [F in Exclude<Named, Column>]: Condition<TicketFilters[F]> } = {
  pipeline: { column: 'pipeline_id' },
  stage: { column: 'stage_id' },
  assigned_to: { column: 'assigned_to_id' },
  assigned_inbox: { column: 'assigned_inbox_id' },
  parent_ticket: { column: 'parent_ticket_id' },
  receiver: { column: 'receiver_id' },
  affected_contact: {
    sql: 'EXISTS (SELECT 1 FROM ticket_contacts tc WHERE tc.ticket_id = t.id AND tc.contact_id = $value)',
  },
  tag: { sql: 't.tags @> $value::jsonb', value: (tag) => JSON.stringify([tag]) },
  due_before: { sql: 't.due_at < $value' },
  created_after: { sql: 't.created_at > $value' },
  created_before: { sql: 't.created_at < $value' },
  updated_after: { sql: 't.updated_at > $value' },
  open: { whether: 't.closed_at IS NULL' },
  escalated: { whether: 't.escalated_at IS NOT NULL' },
};

/** Returns the conditions of a list on a ticket `t`, and adds their values to the statement's. */
export function ticketConditions(filters: TicketFilters, bind: Bind): string[] {
  const where = ['t.workspace_id = $workspaceId'];
  for (const name of Object.keys(listTicketsQuery.fields) as (keyof TicketFilters)[]) {
    const asked = filters[name];
    if (asked === undefined || !isNamed(name)) continue;
    where.push(conditionOf(name, asked, bind));
  }
  where.push(...searchConditions(filters.search ?? '', bind));
  return where;
}

function isNamed(name: keyof TicketFilters): name is Named {
  return !(others as readonly string[]).includes(name);
}

function conditionOf(name: Named, asked: NonNullable<TicketFilters[Named]>, bind: Bind): string {
  const condition: Condition<never> = Object.hasOwn(conditions, name)
    ? conditions[name as keyof typeof conditions]
    : { column: name as Column };
  if ('whether' in condition) return asked === true ? condition.whether : `NOT (${condition.whether})`;
  if ('sql' in condition) {
    bind[name] = condition.value ? condition.value(asked as never) : asked;
    return condition.sql.replace('$value', () => `$${name}`);
  }

  const column = `t.${condition.column}`;
  if (asked === 'none') return `${column} IS NULL`;
  // As a literal, so that an index on a part of the table serves it.
  if (typeof asked === 'boolean') return asked ? column : `NOT ${column}`;
  bind[name] = asked;
  if (!Array.isArray(asked)) return `${column} = $${name}`;
  return `${column} = ANY($${name}::${typeof asked[0] === 'number' ? 'bigint' : 'text'}[])`;
}

function searchConditions(search: string, bind: Bind): string[] {
  const term = search.replace(/[\u0001-\u001f]/g, ' ').trim();
  if (term === '') return [];
  bind['search'] = term;
  const digits = /^#?(\d{1,9})$/.exec(term)?.[1];
  if (digits === undefined) return ['t.search_text LIKE fold_pattern($search)'];
  bind['searchId'] = Number(digits);
  return ['(t.search_text LIKE fold_pattern($search) OR t.id = $searchId)'];
}
