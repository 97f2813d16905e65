import { col, Op } from 'sequelize';
import { cut } from '../../../core/text/cut';
import type { WebhookSubscriptionRow } from '../../../../models';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import type { WebhookAnswer } from '../../../core/http/webhookClient';
import { cancelPending } from '../../resources/webhooks/deliveries';
import { retryDelaysMs, testEventType } from '../../resources/webhooks/eventTypes';
import { deactivate } from '../../resources/webhooks/service';

/** A delivery that is due, with what is sent. */
export interface DueDelivery {
  readonly id: number;
  readonly attempts: number;
  readonly uid: string;
  readonly type: string;
  readonly body: string;
  readonly subject_type: string;
  readonly subject_id: number;
  /** Ids of the rows that caused the event. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** What became of one attempt. */
export interface Outcome {
  readonly delivery: DueDelivery;
  readonly answer: WebhookAnswer;
}

/** Failures in a row after which a receiver counts as dead: it then gets single probes. */
export const failuresUntilDead = 5;
/** The longest pause between probes: a receiver that is back is noticed within this time. */
const maxProbePauseMs = 30 * 60_000;
/** A subscription without one success for this long is deactivated: three days, which the attempts of an event take. */
const disableAfterHours = 72;
/** Longest time that an answer's Retry-After is believed: as long as the longest pause of our own. */
const maxRetryAfterMs = Math.max(...retryDelaysMs);

/** Returns whether a receiver seems to be dead. */
export function isDead(subscription: Pick<WebhookSubscriptionRow, 'consecutive_failures'>): boolean {
  return subscription.consecutive_failures >= failuresUntilDead;
}

/** Varies a pause by ten percent, so that receivers that failed together are not tried together. */
const jittered = (ms: number): number => Math.round(ms * (0.9 + Math.random() * 0.2));

const succeeded = ({ answer }: Outcome): boolean => answer.status !== null && answer.error === '';
const isTest = ({ delivery }: Outcome): boolean => delivery.type === testEventType;

/** Milliseconds until the next attempt, or null where that was the last one. */
function pauseOf(outcome: Outcome): number | null {
  if (isTest(outcome) || outcome.answer.status === 410) return null;
  const planned = retryDelaysMs[outcome.delivery.attempts];
  if (planned === undefined) return null;
  const asked = Math.min(outcome.answer.retryAfterMs ?? 0, maxRetryAfterMs);
  return Math.max(jittered(planned), asked);
}

/**
 * Records attempts and what they say of the receiver; `isTroubled`: some before these may have failed. Returns how many
 * deliveries were still pending.
 */
export async function recordOutcomes(
  ctx: Ctx,
  subscriptionId: number,
  outcomes: readonly Outcome[],
  isTroubled: boolean,
): Promise<number> {
  const real = outcomes.filter((outcome) => !isTest(outcome));
  // A receiver that goes on as it was needs one statement and no transaction.
  if (!isTroubled && real.every(succeeded)) return writeAttempts(ctx, outcomes);

  const { recorded, reason } = await ctx.runtime.db.transaction(async () => ({
    recorded: await writeAttempts(ctx, outcomes),
    reason: real.length === 0 ? null : await recordHealth(ctx, subscriptionId, real),
  }));
  if (reason !== null) await cancelPending(ctx, subscriptionId, 'The subscription was deactivated.');
  return recorded;
}

/** Writes what became of attempts, in one statement; returns how many were pending. */
async function writeAttempts(ctx: Ctx, outcomes: readonly Outcome[]): Promise<number> {
  const rows = await ctx.runtime.db.rows(
    `UPDATE webhook_deliveries d SET state = o.state, attempts = d.attempts + 1, last_status_code = o.status,
       last_error = o.error,
       next_attempt_at = ${dueNowSql(ctx.runtime.clock)} + o.pause_ms * interval '1 millisecond'
     FROM jsonb_to_recordset($outcomes::jsonb)
       AS o(id bigint, state text, status integer, error text, pause_ms float8)
     WHERE ${ofWorkspace('d.workspace_id')} AND d.id = o.id AND d.state = 'pending' RETURNING d.id`,
    { workspaceId: ctx.workspaceId, outcomes: JSON.stringify(outcomes.map(rowOf)) },
  );
  return rows.length;
}

function rowOf(outcome: Outcome): Record<string, unknown> {
  const pauseMs = succeeded(outcome) ? null : pauseOf(outcome);
  return {
    id: outcome.delivery.id,
    state: succeeded(outcome) ? 'delivered' : pauseMs === null ? 'failed' : 'pending',
    status: outcome.answer.status,
    error: cut(outcome.answer.error, 500),
    pause_ms: pauseMs,
  };
}

/** Counts failures since the last success; returns why the subscription was deactivated, if it was. */
async function recordHealth(ctx: Ctx, id: number, outcomes: readonly Outcome[]): Promise<string | null> {
  const { db, clock } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, id };
  if (outcomes.some(succeeded)) await recordLife(ctx, id);
  const failed = outcomes.filter((outcome) => !succeeded(outcome));
  const [first] = failed;
  if (!first) return null;
  const gone = failed.some(({ answer }) => answer.status === 410);
  // A receiver that names a time is left alone until then.
  const askedMs = Math.min(
    Math.max(0, ...failed.map(({ answer }) => (asksToWait(answer) ? (answer.retryAfterMs ?? 0) : 0))),
    maxRetryAfterMs,
  );
  const counted = outcomes.some(succeeded) ? 0 : failed.length;
  const now = dueNowSql(clock);
  const row = await db.row<{ consecutive_failures: number; is_active: boolean; too_long: boolean; url: string }>(
    `UPDATE webhook_subscriptions SET consecutive_failures = consecutive_failures + $counted,
       failing_since = CASE WHEN $counted > 0 THEN coalesce(failing_since, ${now}) END,
       paused_until = CASE WHEN $askedMs::float8 > 0 THEN ${now} + $askedMs::float8 * interval '1 millisecond'
         ELSE paused_until END
     WHERE workspace_id = $workspaceId AND id = $id
     RETURNING consecutive_failures, is_active, url,
       coalesce(failing_since <= ${now} - interval '${disableAfterHours} hours', false) AS too_long`,
    { ...bind, counted, askedMs },
  );
  if (!row?.is_active) return null;
  if (!gone && !row.too_long) {
    if (isDead(row)) await pauseProbes(ctx, id, row.consecutive_failures);
    return null;
  }
  const reason = gone
    ? 'The receiver answered 410 Gone.'
    : `No delivery succeeded for ${disableAfterHours} hours. The last error: ${first.answer.error}`;
  await deactivate(ctx, { id, url: row.url }, reason);
  return reason;
}

/**
 * Ends the count of failures. A receiver that seemed to be dead and is back gets everything that it missed at once, in
 * the order in which it happened; a time that a living one asked for still counts.
 */
async function recordLife(ctx: Ctx, id: number): Promise<void> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, id };
  const row = await db.row<{ failures: number }>(
    `UPDATE webhook_subscriptions s SET failing_since = NULL, consecutive_failures = 0,
       paused_until = CASE WHEN was.consecutive_failures < ${failuresUntilDead} THEN s.paused_until END
     FROM (SELECT id, consecutive_failures FROM webhook_subscriptions
       WHERE workspace_id = $workspaceId AND id = $id AND consecutive_failures > 0 FOR UPDATE) was
     WHERE s.workspace_id = $workspaceId AND s.id = was.id
     RETURNING was.consecutive_failures AS failures`,
    bind,
  );
  if (!row || row.failures < failuresUntilDead) return;
  await of(ctx, db.models.WebhookDelivery).update(
    { next_attempt_at: col('created_at') },
    { where: { subscription_id: id, state: 'pending', attempts: { [Op.gt]: 0 } } },
  );
}

/** Returns whether a receiver asks to be left alone for a while. */
export function asksToWait({ status, retryAfterMs }: WebhookAnswer): boolean {
  return (status === 429 || status === 503) && (retryAfterMs ?? 0) > 0;
}

async function pauseProbes(ctx: Ctx, id: number, failures: number): Promise<void> {
  const planned = retryDelaysMs[Math.min(failures - failuresUntilDead, retryDelaysMs.length - 1)] ?? 0;
  await ctx.runtime.db.rows(
    `UPDATE webhook_subscriptions SET paused_until = greatest(paused_until,
       ${dueNowSql(ctx.runtime.clock)} + $pauseMs::float8 * interval '1 millisecond')
     WHERE workspace_id = $workspaceId AND id = $id`,
    { workspaceId: ctx.workspaceId, id, pauseMs: jittered(Math.min(planned, maxProbePauseMs)) },
  );
}
