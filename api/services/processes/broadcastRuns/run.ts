import type { BroadcastEnd, BroadcastOpening, BroadcastPlan } from '../../../../workflows/contract';
import { broadcastIntent } from '../../../../workflows/starts';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { AppError, trialIsOver } from '../../../core/errors';
import { recordEvent } from '../../../core/events';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/scoped';
import { settleStaleClaims } from '../../resources/messages/rows/settlement';
import { withdrawQueued } from '../../resources/messages/rows/withdrawal';
import { onHoldSql } from '../../resources/accounts/holds';
import { variableProblems } from '../../resources/templates/parameters';
import { audienceSql, skipReasonSql } from '../../resources/broadcasts/audience';
import { readAudience, readVariables } from '../../resources/broadcasts/content';
import { foldStats, readStats } from '../../resources/broadcasts/stats';
import { queuedBehindSql, turnsAheadSql } from '../../resources/broadcasts/turns';
import { isDueSql, messageOfRecipient } from './recipients';

/** Recipients of one chunk, and chunks of one page of a plan. */
const chunkSize = 250;
const pageSize = 20 * chunkSize;
/** A statement over several hundred thousand recipients takes longer than one of a request may. */
export const bulkTimeoutMs = 120_000;
/** After a claim's end the sweep leaves the sender itself some seconds. */
const claimGraceMs = 5_500;
/** A running broadcast that no workflow seems to care for gets its intent again after this. */
const forgottenAfterMs = 120_000;
/** While the operator holds sending, a broadcast whose time has come looks again so often. */
const heldWaitMs = 60_000;
/**
 * How soon a broadcast looks again for its turn: a tenth of the time that the one before it has taken so far, within
 * these limits, for each one that is before it.
 */
const turnWaitMs = { least: 1_000, most: 5_000 };
const longestTurnWaitMs = 60_000;
/** A broadcast whose last recipients all wait for so long lets the next one of its number go meanwhile. */
const restsFromMs = 10_000;
/** Another one is being opened from the same number at this moment. */
const openingWaitMs = 1_000;
/** A number up to this throughput is kept busy by two chunks at a time: while one ends, the other sends. */
const twoLanesUpTo = 250;
const mostLanes = 4;

interface Standing {
  readonly id: number;
  readonly status: string;
  readonly failure_reason: string;
  readonly version: number;
  readonly wait_ms: number | null;
  readonly resolved_at: Date | null;
  readonly audience: unknown;
  readonly template_variables: unknown;
  readonly template_status: string | null;
  readonly category: string | null;
  readonly components: unknown;
  readonly parameter_format: string | null;
  readonly number_status: string | null;
  readonly throughput_mps: number | null;
  /** Why the upstream refuses the number or its account. */
  readonly stopped: string | null;
  readonly trial_expired: boolean;
}

/** SQL: what forbids a broadcast of workspace `w` by number `p` beside its template. */
export const senderSql = (
  now: string,
): string => `(coalesce(w.plan, '') = '' AND coalesce(w.trial_ends_at <= ${now}, false)) AS trial_expired,
    (SELECT coalesce(p.stopped_reason, a.stopped_reason, 'stopped') FROM business_accounts a
      WHERE a.id = p.business_account_id AND coalesce(p.stopped_at, a.stopped_at) IS NOT NULL) AS stopped`;

const standingSql = (
  now: string,
): string => `SELECT b.id, b.status, b.failure_reason, b.version, b.resolved_at, b.audience, b.template_variables,
    ceil(extract(epoch FROM b.scheduled_at - ${now}) * 1000)::float8 AS wait_ms,
    t.status AS template_status, t.category, t.components, t.parameter_format, p.status AS number_status,
    p.throughput_mps,
    ${senderSql(now)}
  FROM broadcasts b
  JOIN workspaces w ON w.id = b.workspace_id
  LEFT JOIN templates t ON t.id = b.template_pk
  LEFT JOIN phone_numbers p ON p.id = b.phone_number_id
  WHERE b.workspace_id = $workspaceId AND b.id = $broadcastId`;

/** Returns why nobody may be sent to now, as a sentence; null when sending may go on (contract 9, 12). */
export function refusalOf(
  standing: Pick<Standing, 'template_status' | 'number_status' | 'stopped' | 'trial_expired'>,
): string | null {
  if (standing.trial_expired) return trialIsOver;
  if (standing.template_status !== 'APPROVED')
    return `The template is not approved any more (${standing.template_status ?? 'deleted'}).`;
  if (standing.number_status === null || standing.number_status === 'DELETED')
    return 'The phone number that this broadcast was to be sent from is gone.';
  if (standing.stopped !== null) return `The platform refuses the phone number or account: ${standing.stopped}.`;
  return null;
}

/**
 * Fires a broadcast whose time has come and freezes its audience, once, whoever asks and how often (contract 9.1).
 * The guarded update decides against an unschedule at the same moment.
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
        waitMs: standing.wait_ms !== null && standing.wait_ms > 0 ? standing.wait_ms : heldWaitMs,
      };
    if (standing.status !== 'running') return { kind: 'superseded' };

    if (standing.resolved_at === null) {
      const fault = await freezeAudience(ctx, broadcastId, standing);
      if (fault !== null) return { kind: 'failed', reason: fault };
    }
    const refusal = refusalOf(standing);
    if (refusal !== null) return { kind: 'failed', reason: refusal };

    const template = {
      category: standing.category ?? '',
      parameter_format: standing.parameter_format ?? '',
      components: standing.components,
    };
    const problems = variableProblems(template, readVariables(standing.template_variables));
    if (problems.length > 0) return { kind: 'failed', reason: `The template has changed: ${problems.join(' ')}` };

    const stats = (await readStats(ctx, [broadcastId])).get(broadcastId);
    const lanes = (standing.throughput_mps ?? 0) <= twoLanesUpTo ? 2 : mostLanes;
    return { kind: 'running', audience: stats?.audience ?? 0, skipped: stats?.skipped ?? 0, lanes };
  });
}

/**
 * Takes the turn of a broadcast at its phone number until the transaction ends; tells how long to wait where another
 * one has it. One that was begun keeps its turn.
 */
async function waitForTurn(ctx: Ctx, broadcastId: number): Promise<BroadcastOpening | null> {
  const { db, clock } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, broadcastId };
  // Two that open at once must see each other.
  const lock = await db.row<{ mine: boolean }>(
    `SELECT phone_number_id IS NULL OR resolved_at IS NOT NULL
       OR pg_try_advisory_xact_lock(hashtextextended('broadcast:' || phone_number_id, 4)) AS mine
     FROM broadcasts WHERE workspace_id = $workspaceId AND id = $broadcastId`,
    bind,
  );
  if (lock?.mine === false) return { kind: 'not_due', waitMs: openingWaitMs };
  const now = dueNowSql(clock);
  const turn = await db.row<{ behind: number | null; ahead: number; taken_ms: number | null }>(
    `SELECT t.behind, t.ahead, extract(epoch FROM ${now} - o.resolved_at)::float8 * 1000 AS taken_ms
     FROM (
       SELECT b.workspace_id, ${queuedBehindSql(now)} AS behind, ${turnsAheadSql(now)} AS ahead
       FROM broadcasts b WHERE b.workspace_id = $workspaceId AND b.id = $broadcastId
     ) t LEFT JOIN broadcasts o ON o.workspace_id = t.workspace_id AND o.id = t.behind`,
    bind,
  );
  if (!turn || turn.behind === null) return null;
  const eachMs = Math.min(Math.max((turn.taken_ms ?? 0) / 10, turnWaitMs.least), turnWaitMs.most);
  return {
    kind: 'not_due',
    waitMs: Math.min(turn.ahead * eachMs, longestTurnWaitMs),
    behind: turn.behind,
  };
}

/**
 * Stores one row per recipient in one statement, with the reason of everybody who gets nothing; returns why it cannot
 * be done.
 */
async function freezeAudience(ctx: Ctx, broadcastId: number, standing: Standing): Promise<string | null> {
  const { db } = ctx.runtime;
  let audience: Awaited<ReturnType<typeof audienceSql>>;
  try {
    audience = await audienceSql(ctx, readAudience(standing.audience));
  } catch (error) {
    if (error instanceof AppError) return `The audience cannot be resolved any more: ${error.message}`;
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
      authentication: (standing.category ?? '').toUpperCase() === 'AUTHENTICATION',
    },
  );
  return null;
}

/** SQL: when a recipient whose message `m` is under way or waits can be looked at again. */
const nextLookSql = `CASE m.delivery_state
    WHEN 'sending' THEN m.claim_expires_at + ${claimGraceMs} * interval '1 millisecond'
    ELSE m.next_attempt_at END`;

/** Plans stretches of recipients that are due after a position; settles what dead workers had claimed first. */
export async function planBroadcast(
  ctx: Ctx,
  { broadcastId, after }: { readonly broadcastId: number; readonly after: number },
): Promise<BroadcastPlan> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, broadcastId };
  if (after === 0) await settleStaleClaims(ctx.runtime);
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
  if (ranges.length > 0) return { ranges, open: 0, waitMs: 0 };
  const rest = await db.row<{ open: number; wait_ms: number }>(
    `SELECT count(*)::int AS open,
       coalesce(min(ceil(extract(epoch FROM ${nextLookSql} - clock_timestamp()) * 1000)), 0)::float8 AS wait_ms
     FROM broadcast_recipients r
     ${messageOfRecipient}
     WHERE r.workspace_id = $workspaceId AND r.broadcast_id = $broadcastId AND r.state = 'pending'`,
    bind,
  );
  const waitMs = Math.max(200, rest?.wait_ms ?? 0);
  // The next broadcast of the number need not wait for that. SQL, since the database's clock says until when.
  if (rest && rest.open > 0 && waitMs >= restsFromMs)
    await db.rows(
      `UPDATE broadcasts SET rests_until = clock_timestamp() + $waitMs * interval '1 millisecond'
       WHERE workspace_id = $workspaceId AND id = $broadcastId AND status = 'running'`,
      { ...bind, waitMs },
    );
  return { ranges: [], open: rest?.open ?? 0, waitMs };
}

/** SQL: the queued messages of recipients who wait or were skipped. */
const waitingMessages = `SELECT m.id
  FROM broadcast_recipients r
  ${messageOfRecipient}
  WHERE r.workspace_id = $workspaceId AND r.broadcast_id = $broadcastId AND r.state IN ('pending', 'skipped')
    AND m.delivery_state = 'queued'`;

/** Ends a run: completed when nobody is left, failed with its reason otherwise; what was not sent stays pending. */
export async function endBroadcast(
  ctx: Ctx,
  { broadcastId, reason }: { readonly broadcastId: number; readonly reason: string },
): Promise<BroadcastEnd> {
  const { db, clock } = ctx.runtime;

  return db.transaction(async () => {
    const ended = await db.row(
      `UPDATE broadcasts
       SET status = CASE WHEN $reason::text = '' THEN 'completed' ELSE 'failed' END, failure_reason = $reason::text,
         completed_at = ${dueNowSql(clock)}, updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $broadcastId AND status = 'running'
       RETURNING id`,
      { workspaceId: ctx.workspaceId, broadcastId, reason },
    );
    if (ended) {
      // Those that waited for another try and will not get it: the run failed, or their recipient was skipped since.
      await withdrawQueued(ctx, waitingMessages, { broadcastId });
      await foldStats(ctx, broadcastId);
    }

    const row = await of(ctx, db.models.Broadcast).findOne({
      attributes: ['status', 'failure_reason'],
      where: { id: broadcastId },
      raw: true,
    });
    const stats = (await readStats(ctx, [broadcastId])).get(broadcastId);
    const { sent = 0, failed = 0, skipped = 0, unknown = 0, audience = 0, pending = 0 } = stats ?? {};
    if (ended) {
      await recordEvent(ctx, {
        subjectType: 'broadcast',
        subjectId: broadcastId,
        kind: reason === '' ? 'broadcast_completed' : 'broadcast_failed',
        data: {
          audience,
          sent,
          failed,
          skipped,
          unknown,
          pending,
          ...(reason === '' ? {} : { reason }),
        },
      });
    }
    return {
      status: row?.status === 'completed' ? 'completed' : 'failed',
      reason: row?.failure_reason ?? '',
      tally: { sent, failed, skipped, unknown },
      audience,
    };
  });
}

/** Broadcasts of one page of the sweep. */
const rearmBatch = 500;

/**
 * Gives broadcasts that are overdue, or run for a while, their intent again, page by page; a workflow that cares for
 * one ignores it. Returns how many.
 */
export async function rearmBroadcasts(runtime: Runtime, runsForMs = forgottenAfterMs): Promise<number> {
  const now = dueNowSql(runtime.clock);
  let rearmed = 0;
  for (let after = 0; ;) {
    const rows: { id: number; workspace_id: number; version: number }[] = await runtime.db.rows(
      `SELECT b.id, b.workspace_id, b.version FROM broadcasts b
       WHERE b.id > $after AND ((b.status = 'scheduled' AND b.scheduled_at < ${now} - interval '1 minute')
         OR (b.status = 'running' AND b.started_at <= ${now} - $runsForMs * interval '1 millisecond'))
         AND NOT ${onHoldSql('b.phone_number_id')} AND (${queuedBehindSql(now)}) IS NULL
       ORDER BY b.id LIMIT ${rearmBatch}`,
      { after, runsForMs },
    );
    for (const { id, workspace_id: workspaceId, version } of rows)
      await runtime.outbox.addMany(workspaceId, [broadcastIntent(workspaceId, id, null, version)]);
    rearmed += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rearmBatch) return rearmed;
    after = last.id;
  }
}
