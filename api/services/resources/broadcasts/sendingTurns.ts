import { broadcastIntent } from '../../../../workflows/starts';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';

/*
 * A phone number sends one broadcast at a time: two would only share its throughput, and a workspace that confirms
 * hundreds at once would fill the workers. The others wait for their turn, the earliest first.
 */

/** SQL: since when a broadcast wants to be sent. */
export const sinceSql = (broadcast: string): string => `coalesce(${broadcast}.scheduled_at, ${broadcast}.started_at)`;

/** SQL: whether a broadcast `b` is to be sent now and has not begun: its audience is not frozen. */
export const waitsSql = (now: string): string =>
  `(b.resolved_at IS NULL AND (b.status = 'running' OR (b.status = 'scheduled' AND b.scheduled_at <= ${now})))`;

/**
 * SQL: the broadcasts `o` of the same number that are sending now, or come before `b`. A broadcast whose remaining
 * recipients all wait for another attempt does not count.
 */
const aheadSql = (now: string): string =>
  `FROM broadcasts o
   WHERE o.workspace_id = b.workspace_id AND o.phone_number_id = b.phone_number_id AND o.id <> b.id
     AND o.status IN ('scheduled', 'running')
     AND ((o.resolved_at IS NOT NULL AND (o.rests_until IS NULL OR o.rests_until <= ${now}))
       OR (o.resolved_at IS NULL AND (o.status = 'running' OR o.scheduled_at <= ${now})
         AND (${sinceSql('o')}, o.id) < (${sinceSql('b')}, b.id)))`;

/** SQL: the broadcast that `b` waits for, the one that is sent first; null where it waits for none. */
export const queuedBehindSql = (now: string): string =>
  `CASE WHEN ${waitsSql(now)} THEN (
     SELECT o.id ${aheadSql(now)} ORDER BY o.resolved_at IS NULL, ${sinceSql('o')}, o.id LIMIT 1) END`;

/**
 * Wakes the broadcast whose turn it is at the number of one that ended, was taken back, or rests, in the surrounding
 * transaction (SQL: the order of turns).
 */
export async function wakeNext(ctx: Ctx, broadcastId: number): Promise<void> {
  const now = dueNowSql(ctx.runtime.clock);
  const next = await ctx.runtime.db.rows<{ id: number; version: number }>(
    `SELECT b.id, b.version FROM broadcasts b
     JOIN broadcasts e ON e.workspace_id = b.workspace_id AND e.phone_number_id = b.phone_number_id
     WHERE e.workspace_id = $workspaceId AND e.id = $broadcastId AND b.status IN ('scheduled', 'running')
       AND ${waitsSql(now)} AND (${queuedBehindSql(now)}) IS NULL`,
    { workspaceId: ctx.workspaceId, broadcastId },
  );
  await ctx.runtime.outbox.addMany(
    ctx.workspaceId,
    next.map(({ id, version }) => broadcastIntent(ctx.workspaceId, id, null, version)),
  );
}
