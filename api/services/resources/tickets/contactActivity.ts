import type { Ctx } from '../../../core/context';
import { armTickets, dueSql, hasDeadlineSql } from './clock';

/** The customer wrote: their open tickets show when. Runs in the transaction of the message. */
export async function noteCustomerMessage(ctx: Ctx, contactId: number, at: Date): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE tickets SET last_customer_at = greatest(last_customer_at, $at), updated_at = now()
     WHERE workspace_id = $workspaceId AND receiver_id = $contactId AND closed_at IS NULL AND (last_customer_at IS NULL OR last_customer_at < $at)`,
    { workspaceId: ctx.workspaceId, contactId, at },
  );
}

/** The team wrote to the customer: open tickets that nobody had answered have their first response. Runs in the transaction of the message. */
export async function noteTeamMessage(ctx: Ctx, contactId: number): Promise<void> {
  await respond(ctx, 'receiver_id = $subject', contactId);
}

/** The team noted an answer that was given elsewhere, as a comment that is not internal. */
export async function noteFirstResponse(ctx: Ctx, ticketId: number): Promise<void> {
  await respond(ctx, 'id = $subject', ticketId);
}

async function respond(ctx: Ctx, condition: string, subject: number): Promise<void> {
  const rows = await ctx.runtime.db.rows<{ id: number; due: Date | null; version: number; timed: boolean }>(
    `UPDATE tickets t SET first_response_at = $now, sla_version = t.sla_version + 1, updated_at = now()
     WHERE t.workspace_id = $workspaceId AND t.${condition} AND t.closed_at IS NULL AND t.first_response_at IS NULL
     RETURNING t.id, ${dueSql} AS due, t.sla_version AS version, ${hasDeadlineSql} AS timed`,
    { workspaceId: ctx.workspaceId, subject, now: ctx.runtime.clock.now() },
  );
  await armTickets(
    ctx,
    rows.filter((row) => row.timed),
  );
}
