import type { Runtime } from '../../../../core/runtime';

/**
 * Makes recipients of stage notifications `unknown` who still waited for a message when sending was held: the database
 * is an older copy, and they may have got it since. Returns how many.
 */
export async function settleLostNotifications(runtime: Runtime, until: Date): Promise<number> {
  // Set-based over all workspaces: those with a message follow it by themselves.
  const [row] = await runtime.db.rows<{ recipients: number }>(
    `WITH unknown AS (
       UPDATE ticket_stage_move_recipients r SET state = 'unknown', settled_at = now()
       FROM ticket_stage_moves v
       WHERE v.completed_at IS NULL AND v.created_at < $until AND r.move_id = v.id AND r.state = 'pending'
       RETURNING 1
     ) SELECT count(*)::int AS recipients FROM unknown`,
    { until },
  );
  return row?.recipients ?? 0;
}
