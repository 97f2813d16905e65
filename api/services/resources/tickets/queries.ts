import type { TicketRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { ofWorkspace, type Bind } from '../../../core/db/database';
import { notFound } from '../../../core/http/errors';
import { countSql, type Counted } from '../../../core/http/paging';
import { of } from '../../../core/db/scoped';
import { isSelective } from '../contacts/lists';
import { ticketColumns, ticketColumnsInEvents, ticketJoins, type TicketInEvent, type TicketView } from './columns';
import { ticketConditions } from './filters';
import { resolveFilters } from './references';
import { defaultLimit, ticketSortColumns, type TicketFilters } from './schema';

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
  /** How many tickets the page before has; 0 where there is none. */
  readonly before: number;
}

/**
 * Lists filtered tickets, newest first by default: two statements, however many rows and names there are, and one more
 * behind the first page (contract 8).
 */
export async function listTickets(ctx: Ctx, filters: TicketFilters): Promise<TicketPage> {
  const { db } = ctx.runtime;
  const bind: Bind = { workspaceId: ctx.workspaceId };
  const wanted = ticketConditions(await resolveFilters(ctx, filters), bind).join(' AND ');
  const limit = filters.limit ?? defaultLimit;
  const offset = filters.offset ?? 0;
  const order = orderOf(filters.ordering ?? '-created_at');

  const source = { from: 'tickets t', idSql: 't.id', selective: isSelective(filters) };
  const counted = await db.row<Counted>(countSql(source, wanted), bind, { planned: 'anew' });
  bind['found'] = counted?.found ?? null;
  if (counted?.count === 0) return { items: [], total: 0, limit, offset, before: 0 };
  const where = bind['found'] === null ? wanted : 't.id = ANY($found::bigint[])';
  // The page is cut first: names and counters are looked up for its rows only.
  const items = await db.rows<TicketView>(
    `SELECT t.id, ${ticketColumns}
     FROM (
       SELECT t.*, sum(${weight}) OVER rest AS carried, row_number() OVER rest AS place
       FROM (SELECT t.* FROM tickets t WHERE ${where} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}) t
       WINDOW rest AS (ORDER BY ${order})
     ) t
     ${ticketJoins}
     WHERE t.place = 1 OR t.carried <= ${maxPageWeight}
     ORDER BY ${order}`,
    bind,
    { planned: 'anew' },
  );
  // What the page before this one begins with: it ends early at its beginning, so that nothing is left out between.
  const before =
    offset === 0 || items.length === 0
      ? null
      : await db.row<{ fitting: number }>(
          `SELECT count(*)::int AS fitting
           FROM (
             SELECT sum(t.weight) OVER rest AS carried, count(*) OVER rest AS place
             FROM (
               -- Each is weighed once: a window would do it again for each row.
               SELECT t.*, ${weight} AS weight
               FROM (
                 SELECT t.* FROM tickets t WHERE ${where} ORDER BY ${order}
                 LIMIT ${Math.min(limit, offset)} OFFSET ${Math.max(0, offset - limit)}
               ) t
               OFFSET 0
             ) t
             WINDOW rest AS (ORDER BY ${order} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
           ) t
           WHERE t.place = 1 OR t.carried <= ${maxPageWeight}`,
          bind,
          { planned: 'anew' },
        );
  return { items, total: counted?.count ?? 0, limit, offset, before: before?.fitting ?? 0 };
}

/** Returns the ids of filtered tickets, of at most so many. */
export async function ticketIds(ctx: Ctx, filters: TicketFilters, limit: number): Promise<number[]> {
  const bind: Bind = { workspaceId: ctx.workspaceId };
  const wanted = ticketConditions(await resolveFilters(ctx, filters), bind).join(' AND ');
  const sql = `SELECT t.id FROM tickets t WHERE ${wanted} LIMIT ${limit}`;
  return (await ctx.runtime.db.rows<{ id: number }>(sql, bind, { planned: 'anew' })).map(({ id }) => id);
}

/** Returns how many contacts moves of tickets into a stage of their pipeline tell: each once. */
export async function countToldBy(ctx: Ctx, ids: readonly number[], stageId: number): Promise<number> {
  // SQL: contacts of two kinds, each counted once.
  const row = await ctx.runtime.db.row<{ told: number }>(
    `WITH moved AS (
       SELECT t.id, t.receiver_id FROM tickets t
       JOIN ticket_stages s ON s.id = $stageId AND s.workspace_id = $workspaceId AND s.pipeline_id = t.pipeline_id
       WHERE t.workspace_id = $workspaceId AND t.id = ANY($ids::bigint[]) AND t.stage_id <> s.id
         AND s.notify_template_pk IS NOT NULL
     )
     SELECT count(DISTINCT contact_id)::int AS told FROM (
       SELECT receiver_id AS contact_id FROM moved WHERE receiver_id IS NOT NULL
       UNION ALL
       SELECT tc.contact_id FROM ticket_contacts tc JOIN moved m ON m.id = tc.ticket_id
     ) c`,
    { workspaceId: ctx.workspaceId, ids, stageId },
  );
  return row?.told ?? 0;
}

/** Reads one ticket. Throws 404. */
export async function findTicket(ctx: Ctx, id: number): Promise<TicketView> {
  const row = await ctx.runtime.db.row<TicketView>(
    `SELECT t.id, ${ticketColumns} FROM tickets t ${ticketJoins} WHERE t.workspace_id = $workspaceId AND t.id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  return row;
}

/** Returns tickets by their ids as events show them, those that exist. */
export async function ticketsInEvents(ctx: Ctx, ids: readonly number[]): Promise<Map<number, TicketInEvent>> {
  const rows = await ctx.runtime.db.rows<TicketInEvent>(
    `SELECT t.id, ${ticketColumnsInEvents} FROM tickets t ${ticketJoins}
     WHERE ${ofWorkspace('t.workspace_id')} AND t.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Values of a ticket that a patch may send back, although they could not be set today. */
type PresentTicket = Pick<TicketRow, 'assigned_to_id' | 'custom_fields'>;

/** Refuses an id that is not a ticket of the workspace. Throws 404. */
export async function requireTicket(ctx: Ctx, id: number): Promise<PresentTicket> {
  const row = await of(ctx, ctx.runtime.db.models.Ticket).findOne({
    attributes: ['assigned_to_id', 'custom_fields'],
    where: { id },
    raw: true,
  });
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
