import { literal } from 'sequelize';
import { cut } from '../../../core/text/cut';
import { webhookIntent } from '../../../../workflows/starts';
import { dueNowSql } from '../../../core/clock';
import { systemCtx, type Ctx } from '../../../core/context';
import { isDatabaseAway, isDatabaseBusy, isStatementTimeout, ofWorkspace } from '../../../core/db/database';
import { AppError, isTemporary } from '../../../core/http/errors';
import { reasonOf } from '../../../core/http/faults';
import { batchRows } from '../../../core/queue/parallel';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { isoTime } from '../../../core/http/shapes';
import { dbNow } from '../../../core/db/columnValues';
import { inTurnsSql } from '../../../core/db/workspaceTurnsSql';
import { turnSql } from '../../resources/webhooks/deliveries';
import { asksForSql } from '../../resources/webhooks/eventTypes';
import { renderEvents, type NotedEvent, type Rendered } from './render';

/** Most bytes of text that one transaction writes; an event that is longer goes alone. */
export const maxBytes = 4 * 1024 * 1024;
/** Longest time of a statement here, which others wait for: a group that takes longer is split. */
const statementMs = 2_000;
/** A batch that failed is so many times smaller, again and again: 100, 12, 1. */
const smaller = 8;
/** Failures by its time limit after which an event that is tried alone is set aside. */
const maxTimeouts = 8;

type NewEvent = NotedEvent & {
  readonly uid: string;
  readonly workspace_id: number;
  readonly created_at: Date;
};
type ToldEvent = Rendered & { readonly event: NewEvent };

/** A workspace that has new events: its first one, and how often batches that began with it have failed. */
interface Waiting {
  readonly workspace_id: number;
  readonly id: number;
  readonly fan_out_tries: number;
}

const isNew = 'fanned_out_at IS NULL AND set_aside_at IS NULL';

/** The first new event of each workspace that has some. */
const waitingWorkspaces = inTurnsSql({
  table: 'webhook_events',
  where: isNew,
  order: 'id',
  columns: 'workspace_id, id, fan_out_tries',
  limit: batchRows,
  each: 1,
});

/**
 * Makes deliveries of committed events, one batch of each workspace in its own transaction: renders them, gives them
 * their places among the events of their subjects, and wakes the workflows of those who subscribe to them, which call
 * `deliverRound`. Called by a loop of the workers (`worker/loops.ts`). Returns whether there may be more at once.
 */
export async function fanOutEvents(runtime: Runtime): Promise<boolean> {
  const waiting = await runtime.db.rows<Waiting>(waitingWorkspaces);
  let isMore = false;
  for (const one of waiting) {
    const ctx = systemCtx(runtime, one.workspace_id, 'webhook-fan-out');
    // The batch after a failure is smaller, until it is the one event that fails.
    const size = Math.max(1, Math.floor(batchRows / smaller ** one.fan_out_tries));
    try {
      isMore = (await runtime.db.transaction(() => fanOutBatch(ctx, size))) || isMore;
    } catch (error) {
      // Not a failure of these events: the next workspace would meet it too.
      if (isDatabaseAway(error) || (error instanceof AppError && isTemporary(error))) throw error;
      isMore = (await noteFailure(ctx, one, size, error)) || isMore;
    }
  }
  return isMore;
}

/**
 * Notes that a batch failed, so that the next one is smaller. An event that fails by itself is set aside with an alert:
 * it would fail each time, and its workspace would wait. What a busy database refused is tried again, and set aside
 * only where the limit of time was met again and again. Returns whether to try at once.
 */
async function noteFailure(ctx: Ctx, first: Waiting, size: number, error: unknown): Promise<boolean> {
  const isBusy = isDatabaseBusy(error);
  const isLast = isStatementTimeout(error) && first.fan_out_tries + 1 >= maxTimeouts;
  const setAside = size === 1 && (isLast || !isBusy);
  const notice = { workspaceId: ctx.workspaceId, eventId: first.id, size, reason: reasonOf(error) };
  if (setAside)
    ctx.logger.error(
      { event: 'webhook.event_set_aside', alert: 'webhook_event_set_aside', err: error, ...notice },
      'an event cannot be told and is set aside',
    );
  else ctx.logger.warn({ event: 'webhook.batch_failed', ...notice }, 'fewer events are fanned out at a time');
  await of(ctx, ctx.runtime.db.models.WebhookEvent).update(
    {
      fan_out_tries: literal('least(fan_out_tries + 1, 100)'),
      ...(setAside ? { set_aside_at: dbNow, set_aside_reason: cut(reasonOf(error), 500) } : {}),
    },
    { where: { id: first.id, fanned_out_at: null } },
  );
  return setAside || size > 1;
}

/** Fans out the next events of a workspace, one caller at a time over all workers. */
async function fanOutBatch(ctx: Ctx, size: number): Promise<boolean> {
  const { db } = ctx.runtime;
  const lock = await db.row<{ mine: boolean }>(
    `SELECT pg_try_advisory_xact_lock(7310003, ($workspaceId::bigint % 2147483647)::int) AS mine,
       set_config('statement_timeout', '${statementMs}', true) AS "limit"`,
    { workspaceId: ctx.workspaceId },
  );
  if (!lock?.mine) return false;
  const told = await nextEvents(ctx, size);
  if (told.length === 0) return false;
  const events = told.map(({ event }) => event);
  const sequences = await takeSequences(ctx, events);
  const written = told.map(({ event, data, contactIds }) => {
    const sequence = sequences.get(event.id);
    return {
      id: event.id,
      sequence,
      subject_id: event.subject_id,
      contact_ids: contactIds,
      payload: {
        id: event.uid,
        type: event.type,
        created_at: isoTime(event.created_at),
        workspace_id: ctx.workspaceId,
        sequence,
        data,
        ...(changesOf(event) === null ? {} : { changes: changesOf(event) }),
      },
    };
  });
  await db.rows(
    `UPDATE webhook_events e SET sequence = r.sequence, subject_id = r.subject_id, payload = r.payload,
       contact_ids = r.contact_ids, fanned_out_at = now()
     FROM json_to_recordset($written::json)
       AS r(id bigint, sequence bigint, subject_id bigint, payload json, contact_ids bigint[])
     WHERE ${ofWorkspace('e.workspace_id')} AND e.id = r.id`,
    { workspaceId: ctx.workspaceId, written: JSON.stringify(written) },
  );
  const ids = events.map(({ id }) => id);
  await wakeWorkflows(ctx, await makeDeliveries(ctx, ids));
  return true;
}

/** Renders the next events of a workspace, as many as one transaction may write. */
async function nextEvents(ctx: Ctx, size: number): Promise<ToldEvent[]> {
  // SQL: the oldest ones by the index of what is new.
  const found = await ctx.runtime.db.rows<NewEvent>(
    `SELECT id, uid, workspace_id, type, subject_type, subject_id, changes, data, created_at FROM webhook_events
     WHERE workspace_id = $workspaceId AND ${isNew} ORDER BY id LIMIT ${size}`,
    { workspaceId: ctx.workspaceId },
    { planned: 'anew' },
  );
  const told = await renderEvents(ctx, await withPresentSubjects(ctx, found));
  let bytes = 0;
  const end = told.findIndex(({ data, event, contactIds }) => {
    bytes += Buffer.byteLength(JSON.stringify([data, event, contactIds]));
    return bytes > maxBytes;
  });
  return end < 0 ? told : told.slice(0, Math.max(1, end));
}

/** After a merge, earlier events of the contact that is gone are sent as events of the one that stayed. */
async function withPresentSubjects(ctx: Ctx, events: readonly NewEvent[]): Promise<NewEvent[]> {
  const ids = events.filter((event) => event.subject_type === 'contact').map((event) => event.subject_id);
  if (ids.length === 0) return [...events];
  const rows = await ctx.runtime.db.rows<{ former: number; contact_id: number }>(
    `SELECT value::bigint AS former, contact_id FROM contact_aliases
     WHERE workspace_id = $workspaceId AND kind = 'id' AND value = ANY($ids::text[])`,
    { workspaceId: ctx.workspaceId, ids: ids.map(String) },
  );
  const present = new Map(rows.map((row) => [row.former, row.contact_id]));
  return events.map((event) =>
    event.subject_type === 'contact'
      ? { ...event, subject_id: present.get(event.subject_id) ?? event.subject_id }
      : event,
  );
}

/** The event of a merge has both ids: of the contact that is gone and of the one that stayed. */
function changesOf(event: NewEvent): unknown {
  if (event.type !== 'contact.merged') return event.changes;
  return { id: { from: event.data['merged_contact_id'], to: event.subject_id } };
}

/** Gives events the next numbers of their subjects, in the order in which they were written. */
async function takeSequences(ctx: Ctx, events: readonly NewEvent[]): Promise<Map<number, number>> {
  if (events.length === 0) return new Map();
  const rows = await ctx.runtime.db.rows<{ id: number; sequence: number }>(
    `WITH placed AS (
       SELECT *, row_number() OVER (PARTITION BY subject_type, subject_id ORDER BY id) AS place,
         count(*) OVER (PARTITION BY subject_type, subject_id) AS added
       FROM jsonb_to_recordset($events::jsonb) AS r(id bigint, subject_type text, subject_id bigint)
     ), counters AS (
       INSERT INTO webhook_sequences AS s (workspace_id, subject_type, subject_id, last_sequence)
       SELECT DISTINCT $workspaceId::bigint, subject_type, subject_id, added FROM placed
       ON CONFLICT (workspace_id, subject_type, subject_id)
         DO UPDATE SET last_sequence = s.last_sequence + excluded.last_sequence
       RETURNING subject_type, subject_id, last_sequence
     )
     SELECT p.id, c.last_sequence - p.added + p.place AS sequence
     FROM placed p JOIN counters c USING (subject_type, subject_id)`,
    {
      workspaceId: ctx.workspaceId,
      events: JSON.stringify(events.map(({ id, subject_type, subject_id }) => ({ id, subject_type, subject_id }))),
    },
  );
  return new Map(rows.map((row) => [row.id, row.sequence]));
}

/**
 * Makes a delivery for each subscription that was active when the event happened and asks for its type. Returns the
 * subscriptions whose workflows have to look. All are due at the same time, so that their ids decide the order.
 */
async function makeDeliveries(ctx: Ctx, eventIds: readonly number[]): Promise<number[]> {
  const rows = await ctx.runtime.db.rows<{ subscription_id: number; has_timer: boolean }>(
    `WITH made AS (
       INSERT INTO webhook_deliveries (workspace_id, subscription_id, event_id, turn, next_attempt_at, created_at)
       SELECT e.workspace_id, s.id, e.id, ${turnSql('e')}, moment.due, moment.due
       FROM (SELECT ${dueNowSql(ctx.runtime.clock)} AS due) moment CROSS JOIN webhook_events e
       JOIN webhook_subscriptions s ON s.workspace_id = $workspaceId
         AND s.is_active AND s.active_since <= e.created_at AND ${asksForSql}
       WHERE ${ofWorkspace('e.workspace_id')} AND e.id = ANY($eventIds::bigint[]) ORDER BY s.id, e.id
       ON CONFLICT (subscription_id, event_id) DO NOTHING RETURNING subscription_id
     )
     SELECT s.id AS subscription_id, coalesce(s.paused_until > ${dueNowSql(ctx.runtime.clock)}, false)
       -- What was made here is not seen yet: these are older ones.
       AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.subscription_id = s.id AND d.state = 'pending')
       AS has_timer
     FROM webhook_subscriptions s
     WHERE s.workspace_id = $workspaceId AND s.id IN (SELECT subscription_id FROM made)`,
    { workspaceId: ctx.workspaceId, eventIds },
  );
  // The workflow of a receiver that is paused has its timer: being woken would only cost.
  return rows.filter((row) => !row.has_timer).map((row) => row.subscription_id);
}

async function wakeWorkflows(ctx: Ctx, subscriptionIds: readonly number[]): Promise<void> {
  await ctx.runtime.outbox.addMany(
    ctx.workspaceId,
    subscriptionIds.map((subscriptionId) => webhookIntent(ctx.workspaceId, subscriptionId)),
  );
}
