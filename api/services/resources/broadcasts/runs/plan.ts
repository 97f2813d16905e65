import type { BroadcastPlan } from '../../../../../workflows/contract';
import { limitsOfSender } from '../../../../core/platform/answers';
import { dueNowSql } from '../../../../core/clock';
import type { Ctx } from '../../../../core/context';
import type { Runtime } from '../../../../core/runtime';
import { onHoldSql } from '../../accounts/fence';
import { pausedWhySql } from '../pauses';
import { broadcastsStoppedSinceSql, broadcastsStoppedWhySql, heldForMs } from '../../accounts/stops';
import { wakeNext } from '../sendingTurns';
import { settleStaleClaims } from '../../messages/rows/settlement';
import { withdrawQueued } from '../../messages/rows/withdrawal';
import { isDueSql, messageOfRecipient, waitingMessages } from './recipients';
import { refusalOf, senderSql, type Sender } from './senderStatus';

/** The recipients in a chunk, and the chunks in a page of a plan. */
export const chunkSize = 250;
const pageSize = 20 * chunkSize;
/**
 * When the last recipients of a broadcast all have to wait at least this long, the next broadcast of its number runs
 * meanwhile.
 */
const restsFromMs = 10_000;
/** How long a broadcast waits for a stop of the platform to end before it fails (contract 9.3). */
export const maxStopMs = 24 * 3_600_000;

/** SQL: for how long, in milliseconds, the platform has stopped the running broadcast `b`; null where it does not. */
export const stoppedForMsSql = (now: string): string =>
  `(extract(epoch FROM ${now} - greatest(
      coalesce(${broadcastsStoppedSinceSql('b.phone_number_id')}, b.paused_at), b.started_at))
    * 1000)::float8`;

/** SQL: when a recipient whose message `m` is under way or waits can be looked at again; a dead claim is over then. */
const nextLookSql = ({ process }: Runtime): string => `CASE m.delivery_state
    WHEN 'sending' THEN m.claim_expires_at + ${process.timing.claimGraceMs} * interval '1 millisecond'
    ELSE m.next_attempt_at END`;

/**
 * Plans ranges of recipients that are due after a position. The first page of a round, after position 0, settles the
 * claims of dead workers and says whether the run has to wait or to end. A later page gives its ranges only: it is
 * read while recipients are being sent to, who do not wait for another attempt.
 */
export async function planBroadcast(
  ctx: Ctx,
  { broadcastId, after }: { readonly broadcastId: number; readonly after: number },
): Promise<BroadcastPlan> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, broadcastId };
  if (after === 0) {
    await settleStaleClaims(ctx.runtime);
    const obstacle = await findObstacle(ctx, broadcastId);
    if (obstacle !== null) return { ranges: [], open: 0, waitMs: 0, ...obstacle };
  }
  const ranges = await db.rows<{ from: number; to: number }>(
    `SELECT min(position)::int AS "from", max(position)::int AS "to"
     FROM (
       SELECT r.position, (row_number() OVER (ORDER BY r.position) - 1) / ${chunkSize} AS chunk
       FROM broadcast_recipients r
       ${messageOfRecipient}
       WHERE r.workspace_id = $workspaceId AND r.broadcast_id = $broadcastId AND r.position > $after
         AND r.state = 'pending' AND ${isDueSql}
       ORDER BY r.position LIMIT ${pageSize}
     ) AS due
     GROUP BY chunk ORDER BY chunk`,
    { ...bind, after },
  );
  if (ranges.length > 0 || after > 0) return { ranges, open: 0, waitMs: 0 };
  const rest = await db.row<{ open: number; wait_ms: number }>(
    `SELECT count(*)::int AS open,
       coalesce(min(ceil(
         extract(epoch FROM ${nextLookSql(ctx.runtime)} - clock_timestamp()) * 1000)), 0)::float8 AS wait_ms
     FROM broadcast_recipients r
     ${messageOfRecipient}
     WHERE r.workspace_id = $workspaceId AND r.broadcast_id = $broadcastId AND r.state = 'pending'`,
    bind,
  );
  const open = rest?.open ?? 0;
  const waitMs = Math.max(200, rest?.wait_ms ?? 0);
  if (open > 0 && waitMs >= restsFromMs) await restMeanwhile(ctx, broadcastId, waitMs);
  return { ranges: [], open, waitMs };
}

/** Lets the next broadcast of the number go while this one waits. */
async function restMeanwhile(ctx: Ctx, broadcastId: number, waitMs: number): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    // SQL, since the database's clock says until when.
    await ctx.runtime.db.rows(
      `UPDATE broadcasts SET rests_until = clock_timestamp() + $waitMs * interval '1 millisecond'
       WHERE workspace_id = $workspaceId AND id = $broadcastId AND status = 'running'`,
      { workspaceId: ctx.workspaceId, broadcastId, waitMs },
    );
    await wakeNext(ctx, broadcastId);
  });
}

/** Returns why the run must end, or why it has to wait and for how long at most; null when it may go on. */
async function findObstacle(
  ctx: Ctx,
  broadcastId: number,
): Promise<Pick<BroadcastPlan, 'stop'> | Pick<BroadcastPlan, 'paused' | 'waitMs'> | null> {
  const now = dueNowSql(ctx.runtime.clock);
  const row = await ctx.runtime.db.row<
    Sender & {
      status: string;
      why: string | null;
      stopped_ms: number | null;
      held: boolean;
      retry_ms: number | null;
      refused_code: number | null;
    }
  >(
    `SELECT b.status, b.refused_code, ${senderSql(now)},
       coalesce(${broadcastsStoppedWhySql('b.phone_number_id')}, ${pausedWhySql}) AS why,
       ${stoppedForMsSql(now)} AS stopped_ms, ${onHoldSql('b.phone_number_id')} AS held,
       CASE WHEN ${broadcastsStoppedSinceSql('b.phone_number_id')} IS NULL
         THEN ceil(extract(epoch FROM b.retry_at - ${now}) * 1000)::float8 END AS retry_ms
     FROM broadcasts b
     JOIN workspaces w ON w.id = b.workspace_id
     LEFT JOIN templates t ON t.id = b.template_pk
     LEFT JOIN phone_numbers p ON p.id = b.phone_number_id
     WHERE b.workspace_id = $workspaceId AND b.id = $broadcastId`,
    { workspaceId: ctx.workspaceId, broadcastId },
  );
  if (!row) return { stop: 'The broadcast is gone.' };
  if (row.status !== 'running') return { stop: `The broadcast is ${row.status}.` };
  const refusal = await refusalOf(ctx, row);
  if (refusal !== null) return { stop: refusal };
  if (row.why === null && !row.held) return null;

  const leftMs = maxStopMs - (row.stopped_ms ?? 0);
  if (row.why !== null && leftMs <= 0) return { stop: `${row.why} It was so for 24 hours.` };
  // What refuses this one's messages may take those of the next of its number.
  if (row.retry_ms !== null && row.retry_ms > 0 && !limitsOfSender.has(row.refused_code ?? 0))
    await restMeanwhile(ctx, broadcastId, row.retry_ms);
  // A pause is over for one recipient, whose answer decides.
  if (row.retry_ms !== null && row.retry_ms <= 0 && !row.held) return null;
  // Recipients that waited for another attempt start from the first one: otherwise their hour of attempts would be
  // over.
  await withdrawQueued(ctx, waitingMessages, { broadcastId });
  return {
    paused: row.why ?? 'Sending is held by the operator (`delivery list`).',
    waitMs: Math.min(row.why === null ? maxStopMs : leftMs, row.retry_ms ?? heldForMs, heldForMs),
  };
}
