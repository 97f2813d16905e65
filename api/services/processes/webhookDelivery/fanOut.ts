import { webhookIntent } from '../../../../workflows/starts';
import { dueNowSql } from '../../../core/clock';
import { systemCtx, type Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/scoped';
import { isoTime } from '../../../core/shapes';
import { mayPass } from './faults';
import { renderEvents, type NotedEvent } from './render';

/** Events that are fanned out in one transaction; workspaces share them, so that none waits behind another's flood. */
const batch = 500;
/** Events whose deliveries are made in one statement: a workspace may have 50 subscriptions. */
const deliveredTogether = 50;

type NewEvent = NotedEvent & {
  readonly uid: string;
  readonly workspace_id: number;
  readonly created_at: Date;
};

/** Every workspace in its turn, found by steps through the index of what is new. */
const newEvents = `WITH RECURSIVE waiting AS (
    (SELECT workspace_id FROM webhook_events WHERE fanned_out_at IS NULL ORDER BY workspace_id LIMIT 1)
    UNION ALL
    SELECT (SELECT e.workspace_id FROM webhook_events e
      WHERE e.fanned_out_at IS NULL AND e.workspace_id > w.workspace_id ORDER BY e.workspace_id LIMIT 1)
    FROM waiting w WHERE w.workspace_id IS NOT NULL
  ), turn AS (
    SELECT workspace_id FROM waiting WHERE workspace_id IS NOT NULL ORDER BY random() LIMIT ${batch}
  )
  SELECT e.id, e.uid, e.workspace_id, e.type, e.subject_type, e.subject_id, e.changes, e.data, e.created_at
  FROM turn t CROSS JOIN LATERAL (
    SELECT * FROM webhook_events n WHERE n.workspace_id = t.workspace_id AND n.fanned_out_at IS NULL
    ORDER BY n.id LIMIT (SELECT ${batch} / greatest(1, count(*)) FROM turn)
  ) e`;

/**
 * Makes deliveries of committed events: renders them, gives them their places among the events of their subjects, and
 * wakes the actors of those who subscribe to them. One caller at a time over all workers; returns how many it took.
 */
export async function fanOutEvents(runtime: Runtime): Promise<number> {
  return runtime.db.transaction(async () => {
    const lock = await runtime.db.row<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock(7310003) AS mine');
    if (!lock?.mine) return 0;
    const events = await runtime.db.rows<NewEvent>(newEvents);
    const workspaces = new Map<number, NewEvent[]>();
    for (const event of events)
      workspaces.set(event.workspace_id, [...(workspaces.get(event.workspace_id) ?? []), event]);
    for (const [workspaceId, group] of workspaces)
      await fanOutApart(systemCtx(runtime, workspaceId, 'webhook-fan-out'), group);
    return events.length;
  });
}

/**
 * Fans out some events of a workspace. One that cannot be rendered is set aside with an alert: it would fail each time,
 * and neither the others nor other workspaces shall wait for it. Throws what may pass.
 */
async function fanOutApart(ctx: Ctx, events: readonly NewEvent[]): Promise<void> {
  try {
    await ctx.runtime.db.savepoint(() => fanOut(ctx, events));
  } catch (error) {
    if (mayPass(error)) throw error;
    const [event, ...others] = events;
    if (event === undefined) throw error;
    if (others.length > 0) {
      for (const each of events) await fanOutApart(ctx, [each]);
      return;
    }
    ctx.logger.error(
      { alert: 'webhook_event_set_aside', err: error, workspaceId: ctx.workspaceId, event: event.uid },
      'an event cannot be rendered for its subscribers',
    );
    await of(ctx, ctx.runtime.db.models.WebhookEvent).update(
      { fanned_out_at: ctx.runtime.clock.now() },
      { where: { id: event.id } },
    );
  }
}

async function fanOut(ctx: Ctx, found: readonly NewEvent[]): Promise<void> {
  const events = await withPresentSubjects(ctx, found);
  const rendered = await renderEvents(ctx, events);
  const kept = events.filter((event) => rendered.has(event.id));
  const sequences = await takeSequences(ctx, kept);
  const written = kept.map((event) => {
    const sequence = sequences.get(event.id);
    const { data, contactIds } = rendered.get(event.id) ?? { data: {}, contactIds: [] };
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
  const gone = events.filter((event) => !rendered.has(event.id)).map(({ id }) => id);
  if (gone.length > 0)
    await ctx.runtime.db.rows(
      `DELETE FROM webhook_events WHERE ${ofWorkspace('workspace_id')} AND id = ANY($gone::bigint[])`,
      { workspaceId: ctx.workspaceId, gone },
    );
  if (written.length === 0) return;
  await ctx.runtime.db.rows(
    `UPDATE webhook_events e SET sequence = r.sequence, subject_id = r.subject_id, payload = r.payload,
       contact_ids = r.contact_ids, fanned_out_at = now()
     FROM json_to_recordset($written::json)
       AS r(id bigint, sequence bigint, subject_id bigint, payload json, contact_ids bigint[])
     WHERE ${ofWorkspace('e.workspace_id')} AND e.id = r.id`,
    { workspaceId: ctx.workspaceId, written: JSON.stringify(written) },
  );
  const ids = written.map(({ id }) => id);
  const woken = new Set<number>();
  for (let from = 0; from < ids.length; from += deliveredTogether)
    for (const id of await makeDeliveries(ctx, ids.slice(from, from + deliveredTogether))) woken.add(id);
  await wakeActors(ctx, [...woken]);
}

/** A merge changes whose id a contact has; what happened to the one that is gone is told of the one that stayed. */
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

/** A merge is told by the ids: the one that is gone and the one that stayed. */
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
 * Makes a delivery for each subscription that was active when the event happened and asks for its type; gives the
 * subscriptions whose actors have to look. All are due at the same time, so that their ids decide the order.
 */
async function makeDeliveries(ctx: Ctx, eventIds: readonly number[]): Promise<number[]> {
  const rows = await ctx.runtime.db.rows<{ subscription_id: number; has_timer: boolean }>(
    `WITH made AS (
       INSERT INTO webhook_deliveries (workspace_id, subscription_id, event_id, next_attempt_at, created_at)
       SELECT e.workspace_id, s.id, e.id, moment.due, moment.due
       FROM (SELECT ${dueNowSql(ctx.runtime.clock)} AS due) moment CROSS JOIN webhook_events e
       JOIN webhook_subscriptions s ON s.workspace_id = $workspaceId
         AND s.is_active AND s.active_since <= e.created_at AND s.events && ARRAY['*', e.type::text]
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
  // The actor of a receiver that is paused has its timer: being woken would only cost.
  return rows.filter((row) => !row.has_timer).map((row) => row.subscription_id);
}

async function wakeActors(ctx: Ctx, subscriptionIds: readonly number[]): Promise<void> {
  await ctx.runtime.outbox.addMany(
    ctx.workspaceId,
    subscriptionIds.map((subscriptionId) => webhookIntent(ctx.workspaceId, subscriptionId)),
  );
}
