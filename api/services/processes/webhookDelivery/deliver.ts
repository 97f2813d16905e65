import type { WebhookSubscriptionRow } from '../../../../models';
import type { WebhookRound } from '../../../../workflows/contract';
import { webhookIntent } from '../../../../workflows/starts';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { batchRows, maxCallsAtOnce } from '../../../core/queue/parallel';
import { maxSweptRows, never, restartAll, roundMs, type IsOver } from '../../../core/queue/sweep';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import type { WebhookAnswer } from '../../../core/http/webhookClient';
import { cancelPending } from '../../resources/webhooks/deliveries';
import { testEventType } from '../../resources/webhooks/eventTypes';
import { signatureHeaders, signingSecrets } from '../../resources/webhooks/secrets';
import { takeActions } from './actions';
import { asksToWait, failuresUntilDead, isDead, recordOutcomes, type DueDelivery, type Outcome } from './outcomes';

/**
 * Sends the due deliveries of a subscription and records their results. Only the subscription's workflow
 * (`webhookDelivery`) calls this. If the process dies, the next round sends again what was not recorded, with the same
 * ids.
 */
export async function deliverRound(
  ctx: Ctx,
  subscriptionId: number,
  stopping: () => boolean = () => false,
): Promise<WebhookRound> {
  const until = ctx.runtime.clock.now().getTime() + roundMs;
  const isOver = (): boolean => stopping() || ctx.runtime.clock.now().getTime() >= until;
  for (;;) {
    const subscription = await of(ctx, ctx.runtime.db.models.WebhookSubscription).findOne({
      where: { id: subscriptionId },
    });
    // An expired trial holds deliveries; the sweep goes on with them once there is a plan.
    if (!subscription || (await isTrialOver(ctx))) return { waitMs: null };
    if (!subscription.is_active) await cancelPending(ctx, subscription.id, 'The subscription is not active.');
    const due = await dueDeliveries(ctx, subscription);
    if (due.length === 0) return nextRound(ctx, subscription);
    await sendAll(ctx, subscription, due, isOver);
    if (isOver()) return { waitMs: 0 };
  }
}

async function isTrialOver(ctx: Ctx): Promise<boolean> {
  const row = await ctx.runtime.db.row<{ over: boolean }>(
    `SELECT ${trialOverSql('w')} AS over FROM workspaces w WHERE w.id = $workspaceId`,
    { workspaceId: ctx.workspaceId },
  );
  return row?.over ?? true;
}

/** SQL: the trial of a workspace `w` is over, and it has no plan. */
export function trialOverSql(alias: string): string {
  return `(coalesce(${alias}.plan, '') = '' AND coalesce(${alias}.trial_ends_at <= clock_timestamp(), false))`;
}

/**
 * Returns the deliveries that may be sent now: only tests while the receiver is paused, and one probe, the oldest,
 * while it seems to be dead. Else the oldest ones and a few of each subject, found by steps through their index from a
 * place that chance chooses: however many of one subject wait, those of others do not wait behind them.
 */
async function dueDeliveries(ctx: Ctx, subscription: WebhookSubscriptionRow): Promise<DueDelivery[]> {
  const now = dueNowSql(ctx.runtime.clock);
  const pending = "workspace_id = $workspaceId AND subscription_id = $id AND state = 'pending'";
  const turn = (condition: string): string =>
    `(SELECT turn FROM webhook_deliveries WHERE ${pending} AND turn ${condition} ORDER BY turn LIMIT 1)`;
  const turnsAfter = (name: string, first: string): string => `${name} AS (
       ${first} UNION ALL SELECT n.turn FROM ${name} w CROSS JOIN LATERAL ${turn('> w.turn')} n)`;
  const first = (of: string): string => `SELECT id, turn, next_attempt_at FROM webhook_deliveries
         WHERE ${pending} AND next_attempt_at <= ${now}${of} ORDER BY next_attempt_at, id LIMIT ${maxCallsAtOnce}`;
  const dead = isDead(subscription);
  return ctx.runtime.db.rows<DueDelivery>(
    `WITH RECURSIVE chosen AS MATERIALIZED (SELECT ((random() - 0.5) * 1.8e19)::bigint AS place
     ), ${turnsAfter('ahead', turn('>= (SELECT place FROM chosen)'))}
     , ${turnsAfter('behind', turn('< (SELECT place FROM chosen)'))}
     , turns AS MATERIALIZED (
       SELECT turn FROM (SELECT turn FROM ahead
         UNION ALL SELECT turn FROM behind WHERE turn < (SELECT place FROM chosen)) t
       LIMIT ${dead ? 0 : batchRows}
     ), found AS (
       (${first('')})
       UNION
       SELECT t.* FROM turns CROSS JOIN LATERAL (${first(' AND turn = turns.turn')}) t
     )
     SELECT d.id, d.attempts, e.uid, e.type, e.payload::text AS body, e.subject_type, e.subject_id, e.data
     FROM (
       SELECT *, row_number() OVER (PARTITION BY turn ORDER BY next_attempt_at, id) AS place FROM found
     ) f JOIN webhook_deliveries d ON d.id = f.id JOIN webhook_events e ON e.id = d.event_id
     WHERE e.type = '${testEventType}' OR coalesce($pausedUntil::timestamptz <= ${now}, true)
     ORDER BY ${dead ? '' : 'f.place, '}f.next_attempt_at, f.id LIMIT ${dead ? 1 : batchRows}`,
    { workspaceId: ctx.workspaceId, id: subscription.id, pausedUntil: subscription.paused_until },
  );
}

/** Returns how long until a delivery is due, and which one; null when none is pending. */
async function nextRound(ctx: Ctx, subscription: WebhookSubscriptionRow): Promise<WebhookRound> {
  const now = dueNowSql(ctx.runtime.clock);
  const next = await ctx.runtime.db.row<{
    id: number;
    attempts: number;
    last_status_code: number | null;
    wait_ms: number;
  }>(
    `SELECT id, attempts, last_status_code,
       ceil(extract(epoch FROM greatest(next_attempt_at, $pausedUntil::timestamptz) - ${now}) * 1000)::float8 AS wait_ms
     FROM webhook_deliveries WHERE workspace_id = $workspaceId AND subscription_id = $id AND state = 'pending'
     ORDER BY next_attempt_at, id LIMIT 1`,
    { workspaceId: ctx.workspaceId, id: subscription.id, pausedUntil: subscription.paused_until },
  );
  if (!next) return { waitMs: null };
  const { id: deliveryId, attempts, last_status_code: status } = next;
  return { waitMs: Math.max(1, next.wait_ms), waiting: { deliveryId, attempts, status } };
}

/**
 * Sends deliveries, several at the same time but those of one subject in their order, and records their results. When
 * the receiver seems to be dead or asks for time, the rest is left for later. After a failure it waits for the calls
 * that are under way, then throws.
 */
async function sendAll(
  ctx: Ctx,
  subscription: WebhookSubscriptionRow,
  due: readonly DueDelivery[],
  isRoundOver: () => boolean,
): Promise<void> {
  const queue = bySubject(due);
  const isProbe = isDead(subscription);
  let failures = subscription.consecutive_failures;
  let isTroubled = failures > 0;
  let waits = false;
  let fault: { readonly error: unknown } | null = null;
  // The subscription may have been deleted or deactivated, or a delivery sent again, meanwhile: the rest is then read
  // again before it is sent.
  let hasChanged = false;
  const isOver = (): boolean =>
    fault !== null || waits || hasChanged || isRoundOver() || (!isProbe && failures >= failuresUntilDead);

  let outcomes: Outcome[] = [];
  let recording: Promise<void> = Promise.resolve();
  // Results are recorded at once, while other deliveries are being sent, because a crash would send them again. The
  // next delivery of a subject is sent after that, so that a change which ends one ends the others.
  const record = (): Promise<void> => {
    recording = recording
      .then(async () => {
        const known = outcomes;
        outcomes = [];
        if (known.length === 0) return;
        const recorded = await recordOutcomes(ctx, subscription.id, known, isTroubled);
        hasChanged ||= recorded < known.length;
      })
      .catch((error: unknown) => {
        fault ??= { error };
      });
    return recording;
  };

  async function deliver(delivery: DueDelivery): Promise<void> {
    const answer = await send(ctx, subscription, delivery);
    // Before the delivery is recorded: a process that dies in between is answered again, and the run is known.
    if (answer.error === '') await takeActions(ctx, subscription, delivery, answer.body);
    failures = answer.error === '' ? 0 : failures + 1;
    isTroubled ||= failures > 0;
    waits ||= asksToWait(answer);
    outcomes.push({ delivery, answer });
    await record();
  }

  async function work(): Promise<void> {
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      for (const delivery of group) {
        if (isOver()) return;
        await deliver(delivery);
      }
    }
  }
  const lanes = Array.from({ length: maxCallsAtOnce }, () =>
    work().catch((error: unknown) => {
      fault ??= { error };
    }),
  );
  await Promise.all(lanes);
  await recording;
  const stopped = fault as { readonly error: unknown } | null;
  if (stopped) throw stopped.error;
}

/** Groups deliveries by their subject, in the order of the first delivery of each. */
function bySubject(due: readonly DueDelivery[]): DueDelivery[][] {
  const groups = new Map<string, DueDelivery[]>();
  for (const delivery of due) {
    const subject = `${delivery.subject_type}/${delivery.subject_id}`;
    const group = groups.get(subject);
    if (group) group.push(delivery);
    else groups.set(subject, [delivery]);
  }
  return [...groups.values()];
}

async function send(ctx: Ctx, subscription: WebhookSubscriptionRow, delivery: DueDelivery): Promise<WebhookAnswer> {
  const { config, clock, webhooks } = ctx.runtime;
  const now = clock.now();
  const secrets = signingSecrets(config, subscription, now);
  return webhooks.post(
    subscription.url,
    {
      'content-type': 'application/json',
      'user-agent': 'Msgdesk-Webhooks/1.0',
      ...signatureHeaders(secrets, delivery.uid, now, delivery.body),
    },
    delivery.body,
  );
}

/**
 * Wakes the workflows of deliveries that are overdue, page by page: of lost intents, and of workspaces that have a plan
 * again. Returns how many.
 */
export async function restartWebhookDeliveries(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  return restartAll(
    runtime,
    isOver,
    (after) =>
      runtime.db.rows<{ id: number; workspace_id: number }>(
        `SELECT s.id, s.workspace_id FROM webhook_subscriptions s JOIN workspaces w ON w.id = s.workspace_id
       WHERE s.id > $after AND NOT ${trialOverSql('w')}
         AND coalesce(s.paused_until <= now() - interval '1 minute', true)
         AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.subscription_id = s.id AND d.state = 'pending'
           AND d.next_attempt_at <= now() - interval '1 minute')
       ORDER BY s.id LIMIT ${maxSweptRows}`,
        { after },
      ),
    (row) => webhookIntent(row.workspace_id, row.id),
  );
}
