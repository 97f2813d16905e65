import { literal } from 'sequelize';
import { cut } from '../../../core/text/cut';
import { systemCtx, type Ctx } from '../../../core/context';
import { inTurnOf, isPassing, isUniqueViolation } from '../../../core/db/database';
import { reasonOf } from '../../../core/http/faults';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { countInbound } from '../../delivery/slots';
import { requestRead } from '../../resources/accounts/syncs';
import { claimEvents, giveBack, holdSql, whileLeased, type StoredEvent } from './claim';
import { receivePlainMessages, type Written } from './messages';
import { keepIgnored } from './ignored';
import { handlerOf } from './handlers';
import { numberIdOf, requestIdOf, TooEarly, UnknownNumber, UnusableEvent } from './read';
import { batchesOf, lanesOf } from './lanes';
import { receivePlainStatuses } from './statuses';
import { readLookups, type EventLookups } from './lookups';

/** Tries before an event is set aside. */
const maxAttempts = 5;
/** Tries of a whole batch that a busy database gave up. */
const maxBatchAttempts = 3;
/** After this many leases that ended without a result, the last ones alone, an event is set aside. */
const maxSilentLeases = 6;
/** Events of different customers that one drainer processes at once. */
const parallel = 4;

/** How many events one call takes. */
interface DrainOptions {
  /** Statuses, where nothing else waits; as many as of the others where it is left out, and none where it is 0. */
  readonly statuses?: number;
  /** Called at once when there may be more events than were taken. */
  readonly onFull?: () => void;
}

/** The result of a drainer's turn. */
interface Drained {
  readonly taken: number;
  /** Whether there may be more now; if not, new events are announced. */
  readonly more: boolean;
}

/**
 * Takes up to `limit` stored events and processes them: customers' messages and plain statuses of a workspace together,
 * everything else each in its own transaction. Called by the drainers of the workers (`worker/events.ts`).
 */
export async function drainInbox(
  runtime: Runtime,
  limit: number,
  { statuses = limit, onFull }: DrainOptions = {},
): Promise<Drained> {
  const events = await claimEvents(runtime, limit, statuses);
  const taken = events.length;
  const [alone] = events;
  if (!alone) return { taken, more: false };
  if (alone.suspect && alone.attempts > maxSilentLeases) {
    await setAside(runtime, alone, new Error('The process stopped each time that it handled this event.'));
    return { taken, more: true };
  }

  const isFull = alone.suspect === true || isShareUsedUp(events);
  if (isFull) onFull?.();
  await whileLeased(runtime, events, () => process(runtime, events));
  // Statuses and whatever came of the same customers meanwhile had to wait for these.
  return { taken, more: isFull || alone.kind !== 'status' };
}

/** Processes events that are leased: of each customer one after the other. */
async function process(runtime: Runtime, events: readonly StoredEvent[]): Promise<void> {
  // Only an estimate of the number's throughput: a failure to store it does not affect the messages.
  await countInbound(runtime, freshMessages(events)).catch((error: unknown) =>
    runtime.logger.warn({ event: 'inbound.not_counted', reason: reasonOf(error) }, 'inbound messages were not counted'),
  );
  const known = await readLookups(runtime, events);
  const done = new Set(await handleStatuses(runtime, events));
  const lanes = lanesOf(
    runtime,
    events.filter(({ id }) => !done.has(id)),
    known,
  );
  const waiting = new Set<number>();
  await forEach(batchesOf(lanes), async (batch) => {
    const stored = await handleMessages(runtime, batch, known);
    if (stored) for (const id of stored) done.add(id);
    else for (const [first] of batch) if (first) waiting.add(first.event.id);
  });
  await forEach(lanes, async (lane) => {
    const left = lane.map(({ event }) => event).filter(({ id }) => !done.has(id));
    for (const [index, event] of left.entries()) {
      const waits = waiting.has(event.id) || (await inTurnOf(event.workspace_id, () => handle(runtime, event, known)));
      // Those behind one that is tried again wait for it: it has its place before them.
      if (waits) return giveBack(runtime, left.slice(index + 1));
    }
  });
}

/** Returns whether a workspace used up its share, so that more of its events may be waiting. */
function isShareUsedUp(events: readonly StoredEvent[]): boolean {
  const counts = new Map<number, number>();
  for (const { workspace_id: id } of events) counts.set(id, (counts.get(id) ?? 0) + 1);
  return events.some(({ workspace_id: id, share }) => (counts.get(id) ?? 0) >= share);
}

/** Runs some work for each item, for so many at once. */
async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}

/**
 * Processes messages of one workspace in one transaction; returns the events that are done, or null where the first
 * ones of their customers wait for another try.
 */
async function handleMessages(
  runtime: Runtime,
  batch: readonly (readonly Written[])[],
  known: EventLookups,
): Promise<ReadonlySet<number> | null> {
  const firsts = batch.flatMap(([written]) => written?.event ?? []);
  const [first] = firsts;
  if (!first) return new Set();
  try {
    const ctx = systemCtx(runtime, first.workspace_id, requestIdOf(first));
    return await inTurnOf(first.workspace_id, () =>
      runtime.db.transaction(() => receivePlainMessages(ctx, batch, known, (ids) => removeFree(ctx, ids))),
    );
  } catch (error) {
    warnOfBatch(
      runtime,
      'messages',
      batch.flat().map(({ event }) => event),
      error,
    );
    return (await putBack(runtime, firsts, error)) ? null : new Set();
  }
}

/**
 * Processes the statuses that need nothing but their messages, one transaction per workspace; returns the events that
 * are done.
 */
async function handleStatuses(runtime: Runtime, events: readonly StoredEvent[]): Promise<ReadonlySet<number>> {
  const byWorkspace = new Map<number, StoredEvent[]>();
  for (const event of events)
    if (event.kind === 'status')
      byWorkspace.set(event.workspace_id, [...(byWorkspace.get(event.workspace_id) ?? []), event]);
  const done = new Set<number>();
  for (const [workspaceId, statuses] of byWorkspace) {
    const [first] = statuses;
    if (!first || statuses.length < 2) continue;
    try {
      const ctx = systemCtx(runtime, workspaceId, requestIdOf(first));
      const left = await inTurnOf(workspaceId, () =>
        receivePlainStatuses(ctx, statuses, (ids) => removeDone(runtime, ids)),
      );
      for (const { id } of statuses) if (!left.has(id)) done.add(id);
    } catch (error) {
      warnOfBatch(runtime, 'statuses', statuses, error);
      if (await putBack(runtime, statuses, error)) for (const { id } of statuses) done.add(id);
    }
  }
  return done;
}

/**
 * Puts a batch back that a busy database gave up, to be tried again as a whole instead of by hundreds of transactions
 * at that moment. Returns false for other failures and from the third time on, because one of the events may be what
 * takes so long.
 */
async function putBack(runtime: Runtime, batch: readonly StoredEvent[], error: unknown): Promise<boolean> {
  if (!isPassing(error)) return false;
  if (batch.some(({ attempts }) => attempts >= maxBatchAttempts)) return false;
  const [first] = batch;
  if (!first) return true;
  await of({ workspaceId: first.workspace_id }, runtime.db.models.InboxEvent)
    .update(
      {
        error: cut(reasonOf(error), 500),
        available_at: literal(`clock_timestamp() + interval '1 second'`),
        holds_until: literal(holdSql),
      },
      { where: { id: batch.map(({ id }) => id), state: 'new' } },
    )
    // Their lease brings them back as well.
    .catch(() => undefined);
  return true;
}

/** Logs that a batch was rolled back. */
function warnOfBatch(runtime: Runtime, what: string, events: readonly StoredEvent[], error: unknown): void {
  runtime.logger.warn(
    {
      event: `inbound.${what}_not_batched`,
      workspaceId: events[0]?.workspace_id,
      events: events.length,
      errorName: error instanceof Error ? error.name : 'unknown',
    },
    `${what} could not be processed in one batch`,
  );
}

/** Removes events in the transaction of their effects; returns those that were not processed before. */
async function removeDone(runtime: Runtime, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await runtime.db.rows<{ id: number }>(
    // A guarded claim of events of many workspaces: of two workers one finds an event unprocessed.
    `DELETE FROM inbox_events WHERE id = ANY($ids::bigint[]) AND state = 'new' RETURNING id`,
    { ids },
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Removes events as `removeDone` does, but for those that another worker has in its hands: whoever processes one alone
 * removes it before it locks the customer, who is locked here already. Each would wait for the other.
 */
async function removeFree({ runtime, workspaceId }: Ctx, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await runtime.db.rows<{ id: number }>(
    // SQL: a guarded claim that waits for nobody.
    `DELETE FROM inbox_events WHERE workspace_id = $workspaceId AND id = ANY(ARRAY(
       SELECT id FROM inbox_events WHERE id = ANY($ids::bigint[]) AND state = 'new' FOR UPDATE SKIP LOCKED))
     RETURNING id`,
    { workspaceId, ids },
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns how many of the messages were received just now, by the upstream's id of their number. */
function freshMessages(events: readonly StoredEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, fresh, payload } of events) {
    const number = kind === 'message' && fresh ? numberIdOf(payload) : '';
    if (number !== '') counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return counts;
}

/**
 * Processes one event; its effects and its removal are one transaction: once in effect, or not at all. Returns whether
 * it waits for another try.
 */
async function handle(runtime: Runtime, event: StoredEvent, known: EventLookups): Promise<boolean> {
  try {
    const process = handlerOf(event.kind);
    if (process)
      await runtime.db.transaction(async () => {
        const mine = await removeDone(runtime, [event.id]);
        if (mine.has(event.id)) await process(systemCtx(runtime, event.workspace_id, requestIdOf(event)), event, known);
      });
    else await keepIgnored(runtime, event);
    return false;
  } catch (error) {
    return setAside(runtime, event, error);
  }
}

/**
 * Queues an event again if another try may help, else parks it with its error, and the others go on. The account of a
 * number that is not known is read. Returns whether it waits for another try, and those behind it for it.
 */
async function setAside(runtime: Runtime, event: StoredEvent, error: unknown): Promise<boolean> {
  const passing = mayPass(error);
  const park =
    error instanceof UnusableEvent || (passing ? event.attempts >= maxAttempts * 4 : event.attempts >= maxAttempts);
  const reason = cut(error instanceof Error ? `${error.name}: ${reasonOf(error)}` : 'unknown failure', 500);
  runtime.logger.warn(
    {
      event: 'inbound.event_failed',
      workspaceId: event.workspace_id,
      inboxEvent: event.id,
      kind: event.kind,
      attempts: event.attempts,
      parked: park,
      errorName: error instanceof Error ? error.name : 'unknown',
    },
    'inbound event could not be processed',
  );
  if (error instanceof UnknownNumber)
    await requestRead({ runtime, workspaceId: event.workspace_id }, event.business_account_id).catch(() => undefined);
  const waitMs = Math.min(30_000, 200 * 2 ** event.attempts);
  await of({ workspaceId: event.workspace_id }, runtime.db.models.InboxEvent)
    .update(
      {
        state: park ? 'parked' : 'new',
        error: reason,
        // By the database's clock, as the claims look at it.
        available_at: literal(`clock_timestamp() + ${waitMs} * interval '1 millisecond'`),
        holds_until: literal(error instanceof TooEarly ? 'clock_timestamp()' : holdSql),
      },
      { where: { id: event.id, state: 'new', attempts: event.attempts } },
    )
    .catch(() => undefined);
  return !park && !(error instanceof TooEarly);
}

/**
 * Returns whether another try may succeed: after deadlocks, serialization failures, races for a unique key, lost
 * connections.
 */
function mayPass(error: unknown): boolean {
  const state = (error as { parent?: { code?: string } }).parent?.code ?? '';
  const name = error instanceof Error ? error.name : '';
  return (
    isUniqueViolation(error) ||
    /^(40|08|57|53|0A000)/.test(state) ||
    name.startsWith('SequelizeConnection') ||
    name === 'AppError'
  );
}
