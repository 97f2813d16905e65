import { broadcastIntent } from '../../../../../workflows/starts';
import { dueNowSql } from '../../../../core/clock';
import { maxSweptRows, never, restartAll, type IsOver } from '../../../../core/queue/sweep';
import type { Runtime } from '../../../../core/runtime';
import { broadcastsWaitSql } from '../../accounts/stops';
import { onHoldSql } from '../../accounts/fence';
import { isPausedSql } from '../pauses';
import { queuedBehindSql } from '../sendingTurns';
import { maxStopMs, stoppedForMsSql } from './plan';

/**
 * Gives broadcasts that are overdue, or run without sending, their intent again, page by page; a workflow that is still
 * there then looks at its rows again. Broadcasts that wait for a turn, a hold or the platform are left alone: the end
 * of that wait starts them. Returns how many.
 */
export async function restartBroadcasts(
  runtime: Runtime,
  { quietForMs, onlyIn }: { readonly quietForMs?: number; readonly onlyIn?: number } = {},
  isOver: IsOver = never,
): Promise<number> {
  const { broadcastQuietMs, broadcastOverdueMs } = runtime.process.timing;
  const quietMs = quietForMs ?? broadcastQuietMs;
  const now = dueNowSql(runtime.clock);
  return restartAll(
    runtime,
    isOver,
    (after) =>
      runtime.db.rows<{ id: number; workspace_id: number; version: number }>(
        `SELECT b.id, b.workspace_id, b.version FROM broadcasts b
       WHERE b.id > $after AND ($only::bigint IS NULL OR b.workspace_id = $only)
         AND ((b.status = 'scheduled' AND b.scheduled_at <= ${now} - $overdueMs * interval '1 millisecond'
             AND NOT ${onHoldSql('b.phone_number_id')})
           OR (b.status = 'running'
             AND coalesce(b.moved_at, b.started_at) <= ${now} - $quietMs * interval '1 millisecond'
             AND (NOT (${broadcastsWaitSql('b.phone_number_id')} OR ${isPausedSql(now)})
               OR ${stoppedForMsSql(now)} > ${maxStopMs})))
         AND (${queuedBehindSql(now)}) IS NULL
       ORDER BY b.id LIMIT ${maxSweptRows}`,
        { after, only: onlyIn ?? null, quietMs, overdueMs: Math.min(quietMs, broadcastOverdueMs) },
      ),
    ({ id, workspace_id: owner, version }) => broadcastIntent(owner, id, null, version),
  );
}
