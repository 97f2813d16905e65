import type { Ctx } from '../../../core/context';
import { armTickets, timerColumns, type TicketTimer } from './clock';

/**
 * Shows on the customer's open tickets when they wrote. Runs in the transaction of the message; SQL, because it is hot.
 */
export async function noteCustomerMessage(ctx: Ctx, contactId: number, at: Date): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE tickets SET last_customer_at = greatest(last_customer_at, $at), updated_at = now()
     WHERE workspace_id = $workspaceId AND receiver_id = $contactId AND closed_at IS NULL
       AND (last_customer_at IS NULL OR last_customer_at < $at)`,
    { workspaceId: ctx.workspaceId, contactId, at },
  );
}

/**
 * Notes the team's first response on the customer's unanswered open tickets. Runs in the transaction of the message.
 */
export async function noteTeamMessage(ctx: Ctx, contactId: number): Promise<void> {
  await respond(ctx, 'receiver_id = $subject', contactId);
}

/** Notes a first response that was given elsewhere, as a comment that is not internal. */
export async function noteFirstResponse(ctx: Ctx, ticketId: number): Promise<void> {
  await respond(ctx, 'id = $subject', ticketId);
}

/** Sets the first response of a set of tickets, and tells their timers (SQL: one statement for all). */
async function respond(ctx: Ctx, condition: string, subject: number): Promise<void> {
  const rows = await ctx.runtime.db.rows<TicketTimer>(
    `UPDATE tickets t SET first_response_at = $now, sla_version = t.sla_version + 1, updated_at = now()
     WHERE t.workspace_id = $workspaceId AND t.${condition} AND t.closed_at IS NULL AND t.first_response_at IS NULL
     RETURNING ${timerColumns}`,
    { workspaceId: ctx.workspaceId, subject, now: ctx.runtime.clock.now() },
  );
  await armTickets(
    ctx,
    rows.filter((row) => row.timed),
  );
}
