import type { TicketRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { ofWorkspace, type Bind } from '../../../core/db';
import { notFound } from '../../../core/errors';
import { likePattern } from '../../../core/paging';
import { defaultLimit, ticketSortColumns } from './schema';
import { ticketColumns, ticketJoins, type TicketView } from './serializer';

export interface TicketFilters {
  readonly pipeline?: readonly number[] | undefined;
  readonly stage?: readonly number[] | undefined;
  readonly open?: boolean | undefined;
  readonly assigned_to?: 'none' | number | undefined;
  readonly assigned_inbox?: 'none' | number | undefined;
  readonly receiver?: number | undefined;
  readonly affected_contact?: number | undefined;
  readonly priority?: readonly string[] | undefined;
  readonly severity?: readonly string[] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly source?: readonly string[] | undefined;
  readonly outcome?: readonly string[] | undefined;
  readonly tag?: string | undefined;
  readonly sla_breached?: boolean | undefined;
  readonly escalated?: boolean | undefined;
  readonly parent_ticket?: 'none' | number | undefined;
  readonly due_before?: Date | undefined;
  readonly created_after?: Date | undefined;
  readonly created_before?: Date | undefined;
  readonly updated_after?: Date | undefined;
  readonly search?: string | undefined;
  readonly ordering?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Bytes, roughly, after which a page ends before it is full: the affected contacts and texts of its tickets. */
const maxPageWeight = 10 * 1024 * 1024;
/** SQL: what a ticket `t` weighs; the length of a stored text is known without reading it. */
const weight = `octet_length(t.description) + pg_column_size(t.tags) + pg_column_size(t.custom_fields)
  + 100 * (SELECT count(*) FROM ticket_contacts tc WHERE tc.ticket_id = t.id)`;

/** Tickets of one page and how many there are in all. */
export interface TicketPage {
  readonly items: readonly TicketView[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** Filtered tickets, newest first unless told: two statements, however many rows and names there are (contract 8). */
export async function listTickets(ctx: Ctx, filters: TicketFilters): Promise<TicketPage> {
  const bind: Bind = { workspaceId: ctx.workspaceId };
  const where = conditions(filters, bind).join(' AND ');
  const limit = filters.limit ?? defaultLimit;
  const offset = filters.offset ?? 0;
  const order = orderOf(filters.ordering ?? '-created_at');
  const [count, items] = [
    await ctx.runtime.db.row<{ count: number }>(`SELECT count(*)::int AS count FROM tickets t WHERE ${where}`, bind, {
      planned: 'anew',
    }),
    // The page is cut first: names and counters are looked up for its rows only.
    await ctx.runtime.db.rows<TicketView>(
      `SELECT t.id, ${ticketColumns} FROM (
         SELECT t.*, sum(${weight}) OVER rest AS carried, row_number() OVER rest AS place FROM (
           SELECT t.* FROM tickets t WHERE ${where} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}
         ) t WINDOW rest AS (ORDER BY ${order})
       ) t ${ticketJoins} WHERE t.place = 1 OR t.carried <= ${maxPageWeight} ORDER BY ${order}`,
      bind,
      { planned: 'anew' },
    ),
  ];
  return { items, total: count?.count ?? 0, limit, offset };
}

/** One ticket. Throws 404. */
export async function findTicket(ctx: Ctx, id: number): Promise<TicketView> {
  const row = await ctx.runtime.db.row<TicketView>(
    `SELECT t.id, ${ticketColumns} FROM tickets t ${ticketJoins} WHERE t.workspace_id = $workspaceId AND t.id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  return row;
}

/** Returns tickets by their ids, those that exist. */
export async function ticketsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, TicketView>> {
  const rows = await ctx.runtime.db.rows<TicketView>(
    `SELECT t.id, ${ticketColumns} FROM tickets t ${ticketJoins}
     WHERE ${ofWorkspace('t.workspace_id')} AND t.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** What a ticket holds that a patch may send back although it could not be written anew. */
export type PresentTicket = Pick<TicketRow, 'assigned_to_id' | 'custom_fields'>;

/** Refuses an id that is not a ticket of the workspace. Throws 404. */
export async function requireTicket(ctx: Ctx, id: number): Promise<PresentTicket> {
  const row = await ctx.runtime.db.row<PresentTicket>(
    'SELECT assigned_to_id, custom_fields FROM tickets WHERE workspace_id = $workspaceId AND id = $id',
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  return row;
}

function orderOf(ordering: string): string {
  const descending = ordering.startsWith('-');
  const column = ticketSortColumns[descending ? ordering.slice(1) : ordering];
  if (!column) throw new Error(`unknown ordering ${ordering}`);
  const direction = descending ? 'DESC' : 'ASC';
  // What has no time comes last, whichever way the list runs; the plain form is the one that an index serves.
  const nulls = column.sql === 't.due_at' || column.sql === 't.last_customer_at' ? ' NULLS LAST' : '';
  return `${column.sql} ${direction}${nulls}, t.id ${direction}`;
}

function conditions(filters: TicketFilters, bind: Bind): string[] {
  const where = ['t.workspace_id = $workspaceId'];
  const add = (name: string, value: unknown, condition: string): void => {
    if (value === undefined) return;
    where.push(condition);
    bind[name] = value;
  };
  add('pipeline', filters.pipeline, 't.pipeline_id = ANY($pipeline::bigint[])');
  add('stage', filters.stage, 't.stage_id = ANY($stage::bigint[])');
  for (const name of ['priority', 'severity', 'type', 'source', 'outcome'] as const)
    add(name, filters[name], `t.${name} = ANY($${name}::text[])`);
  for (const [name, column] of [
    ['assigned_to', 'assigned_to_id'],
    ['assigned_inbox', 'assigned_inbox_id'],
    ['parent_ticket', 'parent_ticket_id'],
  ] as const) {
    if (filters[name] === 'none') where.push(`t.${column} IS NULL`);
    else add(name, filters[name], `t.${column} = $${name}`);
  }
  add('receiver', filters.receiver, 't.receiver_id = $receiver');
  add(
    'affected',
    filters.affected_contact,
    'EXISTS (SELECT 1 FROM ticket_contacts tc WHERE tc.ticket_id = t.id AND tc.contact_id = $affected)',
  );
  add('tag', filters.tag === undefined ? undefined : JSON.stringify([filters.tag]), 't.tags @> $tag::jsonb');
  add('dueBefore', filters.due_before, 't.due_at < $dueBefore');
  add('createdAfter', filters.created_after, 't.created_at > $createdAfter');
  add('createdBefore', filters.created_before, 't.created_at < $createdBefore');
  add('updatedAfter', filters.updated_after, 't.updated_at > $updatedAfter');
  if (filters.open !== undefined) where.push(filters.open ? 't.closed_at IS NULL' : 't.closed_at IS NOT NULL');
  if (filters.sla_breached !== undefined) where.push(filters.sla_breached ? 't.sla_breached' : 'NOT t.sla_breached');
  if (filters.escalated !== undefined)
    where.push(filters.escalated ? 't.escalated_at IS NOT NULL' : 't.escalated_at IS NULL');
  const term = (filters.search ?? '').replace(/[\u0001-\u001f]/g, ' ').trim();
  if (term !== '') {
    bind['search'] = likePattern(term);
    const digits = /^#?(\d{1,9})$/.exec(term)?.[1];
    if (digits === undefined) where.push('t.search_text LIKE lower($search)');
    else add('searchId', Number(digits), '(t.search_text LIKE lower($search) OR t.id = $searchId)');
  }
  return where;
}
