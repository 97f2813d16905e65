import type { TicketRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { armSla, type SlaDue } from '../sla/timers';

/** Binds of `clockSets`: the stage that a ticket enters, and when. */
export interface ClockBind {
  readonly terminal: boolean;
  readonly pauses: boolean;
  readonly now: Date;
}

/** SQL: since when a ticket `t` is paused, and since when it is closed, in the stage that it enters. */
const pausedAt = 'CASE WHEN $pauses::boolean THEN coalesce(t.sla_paused_at, $now::timestamptz) END';
const closedAt = 'CASE WHEN $terminal::boolean THEN coalesce(t.closed_at, $now::timestamptz) END';

/**
 * SQL: how long a ticket `t` stood still, as far as its row says so no more. Its clock stands since it was paused or
 * closed, whichever came first (`least` passes over nulls). Counted is what lies before the new such time, or before
 * now where the clock runs again, so that no time counts twice or gets lost.
 */
const stood = `greatest(
    least(${pausedAt}, ${closedAt}, $now::timestamptz) - least(t.sla_paused_at, t.closed_at), interval '0')`;

/**
 * SQL: assignments to a ticket `t` that enters a stage (contract 8): a pausing stage stops the clock, leaving it adds
 * the pause and shifts both deadlines; leaving a terminal stage counts as reopening, and the time closed is not held
 * against the team. SQL, because the same rules move one ticket or all of a pipeline.
 */
export const clockSets = `
  sla_paused_ms = t.sla_paused_ms + CASE WHEN t.sla_paused_at IS NOT NULL AND NOT $pauses::boolean
    THEN greatest(0, extract(epoch FROM $now::timestamptz - t.sla_paused_at) * 1000)::bigint ELSE 0 END,
  first_response_sla = t.first_response_sla + ${stood},
  resolution_sla = t.resolution_sla + ${stood},
  sla_paused_at = ${pausedAt},
  closed_at = ${closedAt},
  reopened_count = t.reopened_count + (t.closed_at IS NOT NULL AND NOT $terminal::boolean)::int,
  sla_version = t.sla_version + 1`;

/** SQL: the next deadline of a ticket `t`; null while the clock stands or nothing is left to miss. */
const dueSql = `CASE WHEN t.sla_breached OR t.closed_at IS NOT NULL OR t.sla_paused_at IS NOT NULL THEN NULL
  ELSE least(CASE WHEN t.first_response_at IS NULL THEN t.first_response_sla END, t.resolution_sla) END`;

/** SQL: what the timer of a ticket `t` is told; `timed` says whether there is anything to tell. */
export const timerColumns = `t.id, ${dueSql} AS due, t.sla_version AS version,
  (t.first_response_sla IS NOT NULL OR t.resolution_sla IS NOT NULL) AS timed`;

/** What `timerColumns` give. */
export interface TicketTimer extends SlaDue {
  readonly timed: boolean;
}

/** Returns whether a ticket has a deadline at all. */
export function hasDeadline(ticket: Pick<TicketRow, 'first_response_sla' | 'resolution_sla'>): boolean {
  return ticket.first_response_sla !== null || ticket.resolution_sla !== null;
}

/** Starts the timer of a new ticket. */
export async function armTicket(ctx: Ctx, id: number): Promise<void> {
  const rows = await ctx.runtime.db.rows<TicketTimer>(
    `SELECT ${timerColumns} FROM tickets t WHERE t.workspace_id = $workspaceId AND t.id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  await armTickets(
    ctx,
    rows.filter((row) => row.due !== null),
  );
}

/** Tells the timers of these tickets what to wait for. */
export async function armTickets(ctx: Ctx, rows: readonly SlaDue[]): Promise<void> {
  await armSla(ctx, 'ticket', rows);
}
