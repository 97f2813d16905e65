import type { Ctx } from '../../../core/context';

/** What a policy promises. */
export interface Deadlines {
  readonly id: number | null;
  readonly firstResponse: Date | null;
  readonly resolution: Date | null;
}

const minuteMs = 60_000;

/** The deadlines of a ticket that is created now; all null where the workspace has no default policy for tickets. */
export async function newTicketPolicy(ctx: Ctx, from: Date): Promise<Deadlines> {
  return deadlines(ctx, 'tickets', from);
}

/** The deadlines of a conversation whose customer wrote at this time. */
export async function conversationPolicy(ctx: Ctx, from: Date): Promise<Deadlines> {
  return deadlines(ctx, 'conversations', from);
}

async function deadlines(ctx: Ctx, subject: 'tickets' | 'conversations', from: Date): Promise<Deadlines> {
  const row = await ctx.runtime.db.row<{
    id: number;
    first_response_minutes: number | null;
    resolution_minutes: number | null;
  }>(
    'SELECT id, first_response_minutes, resolution_minutes FROM sla_policies WHERE workspace_id = $workspaceId AND is_default AND $subject = ANY(applies_to) FOR KEY SHARE',
    { workspaceId: ctx.workspaceId, subject },
  );
  const after = (minutes: number | null): Date | null =>
    minutes === null ? null : new Date(from.getTime() + minutes * minuteMs);
  return {
    id: row?.id ?? null,
    firstResponse: after(row?.first_response_minutes ?? null),
    resolution: after(row?.resolution_minutes ?? null),
  };
}
