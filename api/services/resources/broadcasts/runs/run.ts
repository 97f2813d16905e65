import type { BroadcastEnd, BroadcastOpening, BroadcastTally } from '../../../../../workflows/contract';
import { broadcastIntent } from '../../../../../workflows/starts';
import { dueNowSql } from '../../../../core/clock';
import type { Ctx } from '../../../../core/context';
import { conflict, isFinal } from '../../../../core/http/errors';
import { recordEvent } from '../../../../core/queue/events';
import { of } from '../../../../core/db/scoped';
import { dbNow } from '../../../../core/db/columnValues';
import { withdrawQueued } from '../../messages/rows/withdrawal';
import { onHoldSql } from '../../accounts/fence';
import { isAuthentication } from '../../templates/requiredParts';
import { audienceSql, endedByOperator, skipReasonSql } from '../audience';
import { readAudience } from '../content';
import { foldStats, readStats } from '../stats';
import { queuedBehindSql, wakeNext } from '../sendingTurns';
import type { Answers } from './answers';
import { waitingMessages } from './recipients';
import { refusalOf, senderSql, type Sender } from './senderStatus';

/** The time limit of a statement over several hundred thousand recipients; a request's limit would be too short. */
export const bulkTimeoutMs = 120_000;
/** A broadcast that waits for its turn or for the end of a hold is woken by it; after this time it looks by itself. */
const netMs = 600_000;
/** The pause while another broadcast of the same number is being opened. */
const openingWaitMs = 1_000;
/**
 * A number with at most this throughput is kept busy by two chunks at the same time: while one ends, the other sends.
 */
const twoLanesUpTo = 250;
const maxLanes = 4;

interface Standing extends Sender {
  readonly id: number;
  readonly status: string;
  readonly failure_reason: string;
  readonly version: number;
  readonly wait_ms: number | null;
  readonly resolved_at: Date | null;
  readonly audience: unknown;
  readonly throughput_mps: number | null;
}

const standingSql = (
  now: string,
): string => `SELECT b.id, b.status, b.failure_reason, b.version, b.resolved_at, b.audience,
    ceil(extract(epoch FROM b.scheduled_at - ${now}) * 1000)::float8 AS wait_ms,
    p.throughput_mps, ${senderSql(now)}
  FROM broadcasts b
  JOIN workspaces w ON w.id = b.workspace_id
  LEFT JOIN templates t ON t.id = b.template_pk
  LEFT JOIN phone_numbers p ON p.id = b.phone_number_id
  WHERE b.workspace_id = $workspaceId AND b.id = $broadcastId`;

/**
 * Starts a broadcast whose time has come and freezes its audience, once, however often it is called (contract 9.1). The
 * guarded update decides against an unschedule at the same moment.
 */
export async function openBroadcast(ctx: Ctx, broadcastId: number): Promise<BroadcastOpening> {
  const { db, clock } = ctx.runtime;
  const now = dueNowSql(clock);
  const bind = { workspaceId: ctx.workspaceId, broadcastId };

  return db.transaction(async () => {
    const queued = await waitForTurn(ctx, broadcastId);
    if (queued !== null) return queued;
    const fired = await db.row(
      `UPDATE broadcasts SET status = 'running', started_at = ${now}, updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $broadcastId AND status = 'scheduled' AND scheduled_at <= ${now}
         AND NOT ${onHoldSql('broadcasts.phone_number_id')}
       RETURNING id`,
      bind,
    );
    if (fired) await recordEvent(ctx, { subjectType: 'broadcast', subjectId: broadcastId, kind: 'broadcast_started' });

    const standing = await db.row<Standing>(`${standingSql(now)} FOR UPDATE OF b`, bind);
    if (!standing) return { kind: 'superseded' };
    if (standing.status === 'scheduled')
      return {
        kind: 'not_due',
        waitMs: standing.wait_ms !== null && standing.wait_ms > 0 ? standing.wait_ms : netMs,
      };
    if (standing.status !== 'running') return { kind: 'superseded' };

    if (standing.resolved_at === null) {
      const fault = await freezeAudience(ctx, broadcastId, standing);
      if (fault !== null) return { kind: 'failed', reason: fault };
    }
    const refusal = await refusalOf(ctx, standing);
    if (refusal !== null) return { kind: 'failed', reason: refusal };

    const stats = (await readStats(ctx, [broadcastId])).get(broadcastId);
    const lanes = (standing.throughput_mps ?? 0) <= twoLanesUpTo ? 2 : maxLanes;
    return { kind: 'running', audience: stats?.audience ?? 0, skipped: stats?.skipped ?? 0, lanes };
  });
}

/**
 * Takes the turn of a broadcast at its phone number until the transaction ends. If another broadcast has the turn,
 * returns which one. A broadcast that has begun keeps its turn.
 */
async function waitForTurn(ctx: Ctx, broadcastId: number): Promise<BroadcastOpening | null> {
  const { db, clock } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, broadcastId };
  // Serialises broadcasts that open at the same time, so that they see each other.
  const lock = await db.row<{ mine: boolean }>(
    `SELECT phone_number_id IS NULL OR resolved_at IS NOT NULL
       OR pg_try_advisory_xact_lock(hashtextextended('broadcast:' || phone_number_id, 4)) AS mine
     FROM broadcasts WHERE workspace_id = $workspaceId AND id = $broadcastId`,
    bind,
  );
  if (lock?.mine === false) return { kind: 'not_due', waitMs: openingWaitMs };
  const now = dueNowSql(clock);
  const turn = await db.row<{ behind: number | null }>(
    `SELECT ${queuedBehindSql(now)} AS behind FROM broadcasts b
     WHERE b.workspace_id = $workspaceId AND b.id = $broadcastId`,
    bind,
  );
  return !turn || turn.behind === null ? null : { kind: 'not_due', waitMs: netMs, behind: turn.behind };
}

/**
 * Stores one row per recipient in one statement, with a reason for each who gets nothing. Returns why it is not
 * possible, else null.
 */
async function freezeAudience(ctx: Ctx, broadcastId: number, standing: Standing): Promise<string | null> {
  const { db } = ctx.runtime;
  let audience: Awaited<ReturnType<typeof audienceSql>>;
  try {
    audience = await audienceSql(ctx, readAudience(standing.audience));
  } catch (error) {
    if (isFinal(error)) return `The audience cannot be resolved any more: ${error.message}`;
    throw error;
  }

  await db.rows(`SET LOCAL statement_timeout = ${bulkTimeoutMs}`);
  await db.rows(
    `WITH ${audience.sql}, frozen AS (
       INSERT INTO broadcast_recipients (broadcast_id, position, workspace_id, contact_id, state, reason)
       SELECT $broadcastId, row_number() OVER (ORDER BY contact_id, copy), $workspaceId, contact_id,
         CASE WHEN reason IS NULL THEN 'pending' ELSE 'skipped' END, coalesce(reason, '')
       FROM (
         SELECT p.contact_id, p.copy, ${skipReasonSql} AS reason FROM picked p JOIN contacts c ON c.id = p.contact_id
       ) AS judged
       RETURNING 1
     )
     UPDATE broadcasts SET resolved_at = clock_timestamp(), updated_at = now()
     FROM (SELECT count(*) FROM frozen) AS counted
     WHERE workspace_id = $workspaceId AND id = $broadcastId`,
    {
      ...audience.bind,
      broadcastId,
      authentication: isAuthentication(standing),
    },
  );
  return null;
}

/**
 * Ends a run: completed when no recipient is left, failed with its reason otherwise; what was not sent stays pending. A
 * run that has already ended is not changed.
 */
export async function endBroadcast(
  ctx: Ctx,
  { broadcastId, reason }: { readonly broadcastId: number; readonly reason: string },
): Promise<BroadcastEnd> {
  return ctx.runtime.db.transaction(async () => {
    if (!(await close(ctx, broadcastId, reason))) await withdrawQueued(ctx, waitingMessages, { broadcastId });
    const row = await of(ctx, ctx.runtime.db.models.Broadcast).findOne({
      attributes: ['status', 'failure_reason'],
      where: { id: broadcastId },
      raw: true,
    });
    const { audience, pending: _pending, ...tally } = await countsOf(ctx, broadcastId);
    return {
      status: row?.status === 'completed' ? 'completed' : 'failed',
      reason: row?.failure_reason ?? '',
      tally,
      audience,
    };
  });
}

/**
 * Ends a running broadcast that cannot go on, for the operator: no more messages are sent. A call that is under way
 * still gets its outcome, and so does its recipient. Throws 409 when the broadcast is not running.
 */
export async function endByOperator(ctx: Ctx, broadcastId: number, reason: string): Promise<void> {
  const { db, outbox } = ctx.runtime;
  await db.transaction(async () => {
    await db.rows(`SET LOCAL statement_timeout = ${bulkTimeoutMs}`);
    const broadcast = await of(ctx, db.models.Broadcast).findOne({ where: { id: broadcastId }, lock: true, raw: true });
    if (broadcast?.status !== 'running')
      throw conflict(`Only a running broadcast can be ended; this one is ${broadcast?.status ?? 'gone'}.`);
    await of(ctx, db.models.BroadcastRecipient).update(
      { state: 'skipped', reason: endedByOperator, updated_at: dbNow },
      { where: { broadcast_id: broadcastId, state: 'pending' } },
    );
    await close(ctx, broadcastId, `Ended by the operator: ${reason}`);
    // A running workflow notices it at its next step; a waiting one is woken now.
    await outbox.add(ctx, broadcastIntent(ctx.workspaceId, broadcastId, null, broadcast.version));
  });
}

/** Moves a running broadcast to its end state, with all consequences. Returns false when it is not running. */
async function close(ctx: Ctx, broadcastId: number, reason: string): Promise<boolean> {
  const ended = await ctx.runtime.db.row(
    `UPDATE broadcasts
     SET status = CASE WHEN $reason::text = '' THEN 'completed' ELSE 'failed' END, failure_reason = $reason::text,
       completed_at = ${dueNowSql(ctx.runtime.clock)}, updated_at = now()
     WHERE workspace_id = $workspaceId AND id = $broadcastId AND status = 'running'
     RETURNING id`,
    { workspaceId: ctx.workspaceId, broadcastId, reason },
  );
  if (!ended) return false;
  // Messages that waited for another try and will not get it: the run failed, or their recipient was skipped since.
  await withdrawQueued(ctx, waitingMessages, { broadcastId });
  await foldStats(ctx, broadcastId);
  await wakeNext(ctx, broadcastId);
  await recordEvent(ctx, {
    subjectType: 'broadcast',
    subjectId: broadcastId,
    kind: reason === '' ? 'broadcast_completed' : 'broadcast_failed',
    data: { ...(await countsOf(ctx, broadcastId)), ...(reason === '' ? {} : { reason }) },
  });
  return true;
}

/** Returns the counts of a broadcast that its end reports. */
async function countsOf(
  ctx: Ctx,
  broadcastId: number,
): Promise<BroadcastTally & { audience: number; pending: number }> {
  const stats = (await readStats(ctx, [broadcastId])).get(broadcastId);
  const { audience = 0, sent = 0, failed = 0, skipped = 0, unknown = 0, pending = 0 } = stats ?? {};
  return { audience, sent, failed, skipped, unknown, pending };
}

/** Notes what was answered last, and that the broadcast moves; one that was paused goes on where the pause is over. */
export async function noteAnswers(
  ctx: Ctx,
  broadcastId: number,
  answers: Answers,
  pauseIsOver: boolean,
): Promise<void> {
  // How often it paused stays: what is refused again by and by waits longer each time.
  const lifted = { paused_at: null, retry_at: null };
  await of(ctx, ctx.runtime.db.models.Broadcast).update(
    { moved_at: dbNow, ...answers, ...(pauseIsOver ? lifted : {}) },
    { where: { id: broadcastId, ...(pauseIsOver ? {} : { paused_at: null }) } },
  );
}
