import { col } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { dueNowSql } from '../../../core/clock';
import { AppError, invalidField, notFound } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { joined, of, recordsOf } from '../../../core/db/scoped';
import { isoTime } from '../../../core/http/shapes';
import { asksForSql, testEventType, type DeliveryState } from './eventTypes';
import type { DeliveryView } from './serializer';
import { reason } from '../reasons';

const ownColumns = [
  ...['state', 'attempts', 'last_status_code', 'last_error', 'next_attempt_at', 'created_at', 'actions'],
];
const columns = `e.uid AS event_id, e.type, ${ownColumns.map((column) => `d.${column}`).join(', ')}`;
const from = 'webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id';

/** Deliveries that are cancelled in one statement. */
const batch = 5_000;

interface DeliveryFilters extends PagingInput {
  readonly status?: DeliveryState | undefined;
  readonly event?: string | undefined;
}

/** Returns the deliveries of a subscription, newest first. */
export async function listDeliveries(ctx: Ctx, id: number, filters: DeliveryFilters): Promise<Page<DeliveryView>> {
  return listPage<Omit<DeliveryView, 'id'>>(
    ctx,
    {
      select: columns,
      from: 'webhook_deliveries d',
      joins: 'JOIN webhook_events e ON e.id = d.event_id',
      where: [
        'd.workspace_id = $workspaceId',
        'd.subscription_id = $id',
        ...(filters.status === undefined ? [] : ['d.state = $status']),
        ...(filters.event === undefined
          ? []
          : ['EXISTS (SELECT 1 FROM webhook_events f WHERE f.id = d.event_id AND f.type = $event)']),
      ],
      bind: {
        workspaceId: ctx.workspaceId,
        id,
        ...(filters.status === undefined ? {} : { status: filters.status }),
        ...(filters.event === undefined ? {} : { event: filters.event }),
      },
      idSql: 'd.id',
      columns: { created_at: { sql: 'd.created_at', type: 'timestamptz' } },
      defaultOrdering: '-created_at',
    },
    filters,
  );
}

/** Returns one delivery of a subscription. Throws 404. */
export async function findDelivery(ctx: Ctx, id: number, deliveryId: number): Promise<DeliveryView> {
  const [row] = await recordsOf<DeliveryView>(ctx, ctx.runtime.db.models.WebhookDelivery, {
    attributes: ['id', ...ownColumns, [col('event.uid'), 'event_id'], [col('event.type'), 'type']],
    where: { id: deliveryId, subscription_id: id },
    include: [joined('event', true)],
  });
  if (!row) throw notFound();
  return row;
}

/** SQL: in whose turn the delivery of an event is sent. */
export const turnSql = (event: string): string =>
  `hashtextextended(${event}.subject_type || '/' || ${event}.subject_id, 0)`;

/** SQL: a time before those of all pending deliveries of subscription `$id`, or now: what is due then is sent first. */
const aheadSql = (now: string): string => `least(${now}, (SELECT min(p.next_attempt_at) - interval '1 millisecond'
  FROM webhook_deliveries p WHERE p.subscription_id = $id AND p.state = 'pending' AND p.workspace_id = $workspaceId))`;

/** Writes the test event of a subscription; it goes out first, whether the subscription is active or not, once. */
export async function insertTest(ctx: Ctx, id: number): Promise<number> {
  const { db } = ctx.runtime;
  // In one statement: the payload names the id and time that the database gives.
  const row = await db.row<{ id: number; event_id: number; uid: string; created_at: Date }>(
    `WITH event AS (
       INSERT INTO webhook_events (workspace_id, type, subject_type, subject_id, sequence, fanned_out_at)
       VALUES ($workspaceId, '${testEventType}', 'webhook', $id, 0, now())
       RETURNING id, uid, created_at, subject_type, subject_id
     ), delivery AS (
       INSERT INTO webhook_deliveries (workspace_id, subscription_id, event_id, turn, next_attempt_at)
       SELECT $workspaceId, $id, event.id, ${turnSql('event')}, ${aheadSql(dueNowSql(ctx.runtime.clock))}
       FROM event RETURNING id
     )
     SELECT delivery.id, event.id AS event_id, event.uid, event.created_at FROM event, delivery`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw new Error('the test event was not stored');
  const payload = {
    id: row.uid,
    type: testEventType,
    created_at: isoTime(row.created_at),
    workspace_id: ctx.workspaceId,
    sequence: 0,
    data: { subscription_id: id },
  };
  await of(ctx, db.models.WebhookEvent).update({ payload }, { where: { id: row.event_id } });
  return row.id;
}

const anew = (now: string): string => `state = 'pending', attempts = 0, last_error = '', next_attempt_at = ${now}`;

/**
 * Makes one delivery due now, whatever became of it, also one that waits for its next attempt or for its receiver. One
 * that fails gets it before all that it has missed; else events that are sent again keep their order. Throws 404.
 */
export async function renewDelivery(ctx: Ctx, id: number, deliveryId: number): Promise<void> {
  const now = dueNowSql(ctx.runtime.clock);
  const row = await ctx.runtime.db.row(
    `UPDATE webhook_deliveries d SET
       ${anew(`CASE WHEN s.consecutive_failures > 0 OR s.paused_until > ${now} THEN ${aheadSql(now)} ELSE ${now} END`)}
     FROM webhook_subscriptions s
     WHERE d.workspace_id = $workspaceId AND d.subscription_id = $id AND d.id = $deliveryId AND s.id = d.subscription_id
     RETURNING d.id`,
    { workspaceId: ctx.workspaceId, id, deliveryId },
  );
  if (!row) throw notFound();
  await of(ctx, ctx.runtime.db.models.WebhookSubscription).update({ paused_until: null }, { where: { id } });
}

/** Most events of one replay. */
const maxReplayed = 10_000;

/**
 * Makes every event of a time range due again that the subscription asks for, also those that happened while it was
 * inactive, in the order in which they happened; returns how many. Throws the 400 of a range that holds too many.
 */
export async function renewRange(ctx: Ctx, id: number, range: { from: Date; to: Date }): Promise<number> {
  if (range.to < range.from) throw invalidField('to', reason('rangeBackwards'));
  const rows = await ctx.runtime.db.rows<{ id: number }>(
    `INSERT INTO webhook_deliveries AS d (workspace_id, subscription_id, event_id, turn, next_attempt_at)
     SELECT e.workspace_id, s.id, e.id, ${turnSql('e')}, e.created_at
     FROM webhook_subscriptions s JOIN webhook_events e ON e.workspace_id = s.workspace_id
       AND e.created_at BETWEEN greatest($from::timestamptz, s.created_at) AND $to::timestamptz
     WHERE s.workspace_id = $workspaceId AND s.id = $id AND e.workspace_id = $workspaceId
       AND e.fanned_out_at IS NOT NULL
       AND e.sequence > 0 AND ${asksForSql}
     ORDER BY e.created_at, e.id LIMIT ${maxReplayed + 1}
     ON CONFLICT (subscription_id, event_id) DO UPDATE SET ${anew('excluded.next_attempt_at')}
     WHERE d.state <> 'pending' RETURNING id`,
    { workspaceId: ctx.workspaceId, id, from: range.from, to: range.to },
  );
  if (rows.length > maxReplayed)
    throw new AppError('validation', 'The range is too long.', {
      fields: { from: [reason('rangeFull', { max: maxReplayed })] },
    });
  return rows.length;
}

/** Ends every pending delivery of a subscription but its tests; returns how many. */
export async function cancelPending(
  ctx: Pick<Ctx, 'runtime' | 'workspaceId'>,
  id: number,
  reason: string,
): Promise<number> {
  let total = 0;
  for (;;) {
    const rows = await ctx.runtime.db.rows(
      `UPDATE webhook_deliveries SET state = 'cancelled', next_attempt_at = NULL,
         last_error = CASE WHEN last_error = '' THEN $reason ELSE last_error END
       WHERE id = ANY(ARRAY(
         SELECT d.id FROM ${from} WHERE d.workspace_id = $workspaceId AND d.subscription_id = $id
           AND d.state = 'pending' AND e.type <> '${testEventType}' LIMIT ${batch}
       )) AND workspace_id = $workspaceId RETURNING id`,
      { workspaceId: ctx.workspaceId, id, reason },
    );
    total += rows.length;
    if (rows.length < batch) return total;
  }
}
