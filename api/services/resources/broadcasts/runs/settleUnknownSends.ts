import { dueNowSql } from '../../../../core/clock';
import { systemCtx } from '../../../../core/context';
import { recordEvent } from '../../../../core/queue/events';
import type { Runtime } from '../../../../core/runtime';
import { bulkTimeoutMs } from './run';

/** The failure reason of a broadcast that was due in the lost span. */
const maybeSent = 'It may have been sent before the database was restored.';

/**
 * Ends the broadcasts that may have sent messages which the database does not know of, so that no recipient is sent to
 * twice: waiting recipients become `unknown`, and a broadcast that waited for its time or turn, and may have started
 * before sending was held, fails. Returns how many of each.
 */
export async function settleLostBroadcasts(
  runtime: Runtime,
  until: Date,
): Promise<{ recipients: number; broadcasts: number }> {
  const { db } = runtime;
  await db.rows(`SET LOCAL statement_timeout = ${bulkTimeoutMs}`);
  // Set-based: a run may have several hundred thousand recipients left.
  const [row] = await db.rows<{ recipients: number }>(
    `WITH unknown AS (
       UPDATE broadcast_recipients r SET state = 'unknown', updated_at = now()
       FROM broadcasts b
       WHERE b.status = 'running' AND b.started_at < $until AND r.broadcast_id = b.id AND r.state = 'pending'
       RETURNING 1
     ) SELECT count(*)::int AS recipients FROM unknown`,
    { until },
  );
  const failed = await db.rows<{ id: number; workspace_id: number }>(
    `UPDATE broadcasts SET status = 'failed', completed_at = ${dueNowSql(runtime.clock)}, updated_at = now(),
       version = version + 1, failure_reason = $reason
     WHERE (status = 'scheduled' AND scheduled_at < $until)
       OR (status = 'running' AND resolved_at IS NULL AND started_at < $until)
     RETURNING id, workspace_id`,
    { until, reason: maybeSent },
  );
  for (const { id, workspace_id: workspaceId } of failed)
    await recordEvent(systemCtx(runtime, workspaceId, `broadcast/${id}`), {
      subjectType: 'broadcast',
      subjectId: id,
      kind: 'broadcast_failed',
      data: { reason: maybeSent },
    });
  return { recipients: row?.recipients ?? 0, broadcasts: failed.length };
}
