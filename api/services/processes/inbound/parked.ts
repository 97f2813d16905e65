import type { Ctx } from '../../../core/context';

const maxShown = 100;

/** An upstream event that could not be processed; its content is the customer's and is not shown. */
export interface ParkedEvent {
  readonly id: number;
  readonly kind: string;
  readonly error: string | null;
  readonly attempts: number;
  readonly received_at: Date;
}

/** How many events of the workspace wait for a replay, and the oldest of them. */
export async function readParked(ctx: Ctx): Promise<{ parked_events: number; parked: ParkedEvent[] }> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId };
  const where = `workspace_id = $workspaceId AND state = 'parked' AND kind <> 'unverified'`;
  const [counted] = await db.rows<{ count: number }>(
    `SELECT count(*)::int AS count FROM inbox_events WHERE ${where}`,
    bind,
  );
  const parked = await db.rows<ParkedEvent>(
    `SELECT id, kind, error, attempts, received_at FROM inbox_events WHERE ${where} ORDER BY id LIMIT ${maxShown}`,
    bind,
  );
  return { parked_events: counted?.count ?? 0, parked };
}
