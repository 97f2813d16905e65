import type { Ctx } from '../../../core/context';
import { armTickets, timerColumns, type TicketTimer } from './clock';

/**
 * Shows on the open tickets of customers, each named once, when they wrote. Runs in the transaction of their messages;
 * SQL: one statement for all.
 */
export async function noteCustomerMessages(
  ctx: Ctx,
  written: readonly { readonly contactId: number; readonly at: Date }[],
): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE tickets t SET last_customer_at = w.at, updated_at = now()
     FROM unnest($contactIds::bigint[], $times::timestamptz[]) AS w(contact_id, at)
     WHERE t.workspace_id = $workspaceId AND t.receiver_id = ANY($contactIds::bigint[])
       AND t.receiver_id = w.contact_id AND t.closed_at IS NULL
       AND (t.last_customer_at IS NULL OR t.last_customer_at < w.at)`,
    {
      workspaceId: ctx.workspaceId,
      contactIds: written.map(({ contactId }) => contactId),
      times: written.map(({ at }) => at),
    },
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
