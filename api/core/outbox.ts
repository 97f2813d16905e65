import type { Logger } from 'pino';
import type { WorkflowInputs } from '../../workflows/contract';
import type { Intent, WorkflowStart } from '../../workflows/starts';
import type { Ctx } from './context';
import type { Db } from './db';
import type { Engine } from './temporal';
import type { Tracing } from './tracing';
import { reasonOf } from './faults';
import { grouped } from './grouped';

/** Limits of dispatches running and waiting in one process; the relays deliver what exceeds them. */
const mostDispatching = 16;
const mostWaiting = 64;

/** How long the rows that a relay has taken are hidden from other relays. */
const leaseSeconds = 10;
/** Intents among which a relay gives the workspaces their turns: one with thousands does not hold up the others. */
const mostLookedAt = 20_000;
/** Intents that a relay has its process try at once, or wait for room: more would only be given back and read again. */
const mostTrying = 200;
/** How long a relay gathers what became of intents, so that one statement writes it down for many. */
const gatherMs = 20;
/** Intents that a relay reads at a time: few, so that none is long out of date when it is delivered. */
const mostRead = 50;
/** A relay starts no call after this time, so that the last one, which may take 2 s, ends within the lease. */
const beginWithinMs = 7_000;
/** The longest pause between two tries of an intent while Temporal is unreachable. */
const maxBackoffSeconds = 5;
/** How often Temporal may refuse an intent, with growing pauses (about twenty minutes), before it is set aside. */
const maxRefusals = 20;
const refusalPauseSeconds = 5;

interface OutboxRow {
  id: number;
  workspace_id: number;
  workflow: keyof WorkflowInputs;
  workflow_id: string;
  signal: string | null;
  version: number;
  input: { start: WorkflowStart; input: WorkflowInputs[keyof WorkflowInputs]; argument?: unknown };
  /** The trace that it is part of (W3C `traceparent`). */
  trace: string | null;
  /** Its own id and those of the older ones that it stands for. */
  ids: readonly number[];
}

/**
 * What became of an attempt to do at once what an intent is for. `done`: nothing is left of it. `busy`: somebody else
 * is at it, and looks again afterwards. `waits`: it is the workflow's. `later`: a relay tries it again.
 */
export type AtOnce = 'done' | 'busy' | 'waits' | 'later';

/**
 * Tries to do at once what an intent is for; null where the process has no room for it now. One that `mayWait` waits
 * for room a while, and is the workflow's where there is none.
 */
type DoAtOnce<W extends keyof WorkflowInputs = keyof WorkflowInputs> = (
  input: WorkflowInputs[W],
  mayWait: boolean,
) => Promise<AtOnce> | null;

/** SQL: the intents that no relay has taken, of workflow ids that are given; locked, so that none does meanwhile. */
const waitingSql = `, waiting AS MATERIALIZED (
         SELECT o.workflow_id FROM outbox o
         WHERE o.workflow_id IN (SELECT id FROM given) AND o.available_at <= now() AND o.set_aside_at IS NULL
         FOR UPDATE OF o SKIP LOCKED
       )`;

/** An intent as it was stored. */
type Stored = Pick<OutboxRow, 'id' | 'workflow_id'>;

interface AddOptions {
  /**
   * Leaves out the intents of workflow ids that have one which no relay has taken: whoever takes it sees what is
   * committed now.
   */
  readonly unlessWaiting?: boolean;
}

/** Passes intents to Temporal, except those that this process can do at once. */
export interface Outbox {
  /** Inserts an intent in the surrounding transaction and dispatches it after the commit, without waiting for it. */
  add(ctx: Ctx, intent: Intent): Promise<void>;
  /** Inserts many intents in one statement. */
  addMany(workspaceId: number, intents: readonly Intent[], how?: AddOptions): Promise<void>;
  /** Delivers intents that the committing process did not; returns the number of workflow ids. */
  relay(limit?: number): Promise<number>;
  /** From now on intents of a workflow are tried at once by this process, before the engine hears of them. */
  tryAtOnce<W extends keyof WorkflowInputs>(workflow: W, attempt: DoAtOnce<W>): void;
  /** Waits for running dispatches (graceful stop, tests). */
  drain(): Promise<void>;
}

/**
 * gRPC: INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE. Every other error concerns Temporal itself or the access
 * to it.
 */
const refusalCodes: readonly unknown[] = [3, 9, 11];

/** Returns whether Temporal refuses this very intent. */
function isRefusal(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return refusalCodes.includes(code ?? cause?.code);
}

/** Counts the intents that were set aside, for the metrics. */
export async function countSetAside(db: Db): Promise<number> {
  const row = await db.row<{ count: number }>(
    'SELECT count(*)::int AS count FROM outbox WHERE set_aside_at IS NOT NULL',
  );
  return row?.count ?? 0;
}

/** Creates the outbox of one process. */
export function createOutbox(db: Db, engine: Engine, logger: Logger, tracing: Tracing): Outbox {
  const running = new Set<Promise<void>>();
  const waiting: string[] = [];
  const attempts = new Map<string, DoAtOnce>();
  let lanes = 0;
  /** Intents of a relay that are tried at once, or wait for room. */
  let trying = 0;

  function track(work: Promise<void>): void {
    running.add(work);
    void work.finally(() => running.delete(work));
  }

  /** Reads the newest intent of each workflow id; nothing where there is none any more. */
  function newest(workflowIds: readonly string[]): Promise<OutboxRow[]> {
    return db.rows<OutboxRow>(
      `SELECT n.*, ARRAY(SELECT id FROM outbox WHERE workflow_id = n.workflow_id) AS ids
       FROM unnest($workflowIds::text[]) AS asked(workflow_id), LATERAL (
         SELECT * FROM outbox o WHERE o.workflow_id = asked.workflow_id AND o.set_aside_at IS NULL
         ORDER BY o.version DESC, o.id DESC LIMIT 1) AS n`,
      { workflowIds },
    );
  }

  /** Removes intents and the older ones that were there when each was read: one that came since has its own turn. */
  async function remove(rows: readonly Pick<OutboxRow, 'ids' | 'version'>[]): Promise<void> {
    const gone = rows.flatMap(({ ids, version }) => ids.map((id) => ({ id, version })));
    await db.rows(
      `DELETE FROM outbox o USING unnest($ids::bigint[], $versions::integer[]) AS gone(id, version)
       WHERE o.id = gone.id AND o.version <= gone.version`,
      { ids: gone.map(({ id }) => id), versions: gone.map(({ version }) => version) },
    );
  }

  /** Hands an intent to the engine, then removes it. */
  async function hand(row: OutboxRow): Promise<void> {
    const { start, input, argument } = row.input;
    await tracing.span(
      `intent ${row.workflow}`,
      { kind: 'producer', parent: row.trace, attributes: { 'msgdesk.workspace_id': row.workspace_id } },
      () =>
        row.signal === null ? engine.start(start, input) : engine.signalWithStart(start, input, row.signal, argument),
    );
    await remove([row]);
  }

  /** Hands the newest intent of a workflow id to the engine. */
  async function dispatch(workflowId: string): Promise<void> {
    const [row] = await newest([workflowId]);
    if (row) await hand(row);
  }

  /**
   * Tries at once what was just committed, without a lane: an attempt may take as long as somebody else's answer does.
   * The row goes when the attempt has ended; whenever the process dies before, a relay finds it.
   */
  async function conclude(attempt: Promise<AtOnce>, workflowId: string, id: number): Promise<void> {
    try {
      const outcome = await attempt;
      if (outcome === 'done') await db.rows('DELETE FROM outbox WHERE id = $id', { id });
      if (outcome === 'waits') dispatchSoon([workflowId]);
    } catch (error) {
      leftToRelay(workflowId, error);
    }
  }

  /**
   * Begins what was committed: at once where that is possible, else by the engine. Many at a time are a backlog, in
   * which the relays give the workspaces their turns.
   */
  function begin(intents: readonly Intent[], stored: readonly Stored[], trace: string | null): void {
    if (stored.length > mostDispatching) return;
    const inputs = new Map(intents.map((intent) => [intent.start.id, intent]));
    const others: string[] = [];
    for (const { id, workflow_id: workflowId } of stored) {
      const intent = inputs.get(workflowId);
      const attempt = intent && tracing.within(trace, () => attempts.get(intent.start.workflow)?.(intent.input, false));
      if (attempt) track(conclude(attempt, workflowId, id));
      else others.push(workflowId);
    }
    dispatchSoon(others);
  }

  function leftToRelay(workflowId: string, error: unknown): void {
    logger.debug({ event: 'outbox.left_to_relay', workflowId, reason: reasonOf(error) }, 'intent left to the relay');
  }

  /**
   * Dispatches at once, a few at a time. When commits are faster than Temporal, queued calls would all miss their
   * deadline, so the surplus stays in the table for the relays.
   */
  function dispatchSoon(workflowIds: readonly string[]): void {
    if (!engine.available()) return;
    for (const workflowId of new Set(workflowIds)) {
      if (waiting.length >= mostWaiting) return;
      waiting.push(workflowId);
      if (lanes >= mostDispatching) continue;
      lanes += 1;
      track(dispatchWaiting().finally(() => (lanes -= 1)));
    }
  }

  async function dispatchWaiting(): Promise<void> {
    for (let workflowId = waiting.shift(); workflowId !== undefined; workflowId = waiting.shift()) {
      try {
        await dispatch(workflowId);
      } catch (error) {
        // The row stays; a relay delivers it.
        leftToRelay(workflowId, error);
        if (!engine.available()) waiting.length = 0;
      }
    }
  }

  async function addMany(
    workspaceId: number,
    intents: readonly Intent[],
    { unlessWaiting = false }: AddOptions = {},
  ): Promise<void> {
    if (intents.length === 0) return;
    const trace = tracing.current();
    const stored = await db.rows<Stored>(
      `WITH given AS (
         SELECT * FROM jsonb_to_recordset($intents::jsonb)
           AS i(workflow text, id text, signal text, version integer, input jsonb)
       )${unlessWaiting ? waitingSql : ''}
       INSERT INTO outbox (workspace_id, workflow, workflow_id, signal, version, input, trace)
       SELECT $workspaceId, i.workflow, i.id, i.signal, i.version, i.input, $trace FROM given i
       ${unlessWaiting ? 'WHERE NOT EXISTS (SELECT 1 FROM waiting w WHERE w.workflow_id = i.id)' : ''}
       RETURNING id, workflow_id`,
      {
        workspaceId,
        trace,
        intents: JSON.stringify(
          intents.map((intent) => ({
            workflow: intent.start.workflow,
            id: intent.start.id,
            signal: intent.signal ?? null,
            version: intent.version ?? 0,
            input: {
              start: intent.start,
              input: intent.input,
              ...(intent.argument === undefined ? {} : { argument: intent.argument }),
            },
          })),
        ),
      },
    );
    db.afterCommit(() => begin(intents, stored, trace));
  }

  /**
   * Frees leased intents that could not be delivered, because Temporal or the database is unreachable, for a next try.
   */
  async function handBack(workflowIds: readonly string[]): Promise<void> {
    if (workflowIds.length === 0) return;
    await db.rows(
      `UPDATE outbox SET available_at = now() + least(${maxBackoffSeconds}, attempts) * interval '1 second'
       WHERE workflow_id = ANY($workflowIds::text[]) AND set_aside_at IS NULL`,
      { workflowIds },
    );
  }

  /** Writes down what became of intents that were tried at once: several by one statement. */
  const gathered = { most: mostTrying, lingerMs: gatherMs };
  const removed = grouped(remove, gathered);
  const postponed = grouped(handBack, gathered);

  /** Postpones an intent that Temporal refuses, a little longer each time, and finally sets it aside. */
  async function countRefusal(workflowId: string, reason: string): Promise<void> {
    const aside = await db.rows<{ id: number; set_aside: boolean }>(
      `UPDATE outbox SET refusals = refusals + 1, error = left($reason, 500),
         available_at = now() + ${refusalPauseSeconds} * (refusals + 1) * interval '1 second',
         set_aside_at = CASE WHEN refusals + 1 >= ${maxRefusals} THEN now() END
       WHERE workflow_id = $workflowId AND set_aside_at IS NULL
       RETURNING id, set_aside_at IS NOT NULL AS set_aside`,
      { workflowId, reason },
    );
    if (aside.some((row) => row.set_aside))
      logger.error(
        { event: 'outbox.intent_set_aside', alert: 'intent_set_aside', workflowId, reason },
        'Temporal refused an intent for good',
      );
  }

  /**
   * Delivers what a relay has leased: at once where that is possible, which it does not wait for, else by the engine.
   * False where it shall be tried again soon.
   */
  async function deliver(row: OutboxRow): Promise<boolean> {
    const { workflow_id: workflowId } = row;
    try {
      const attempt = tracing.within(row.trace, () => attempts.get(row.workflow)?.(row.input.input, true));
      if (!attempt) {
        await hand(row);
        return true;
      }
      // Whoever is at it has had its time: the workflow looks after both.
      trying += 1;
      track(
        attempt
          .then((outcome) =>
            outcome === 'later' ? postponed(workflowId) : outcome === 'done' ? removed(row) : hand(row),
          )
          .catch(async (error: unknown) => {
            if (!(await failed(workflowId, error))) await postponed(workflowId);
          })
          .catch((error: unknown) => leftToRelay(workflowId, error))
          .finally(() => (trying -= 1)),
      );
      return true;
    } catch (error) {
      return failed(workflowId, error);
    }
  }

  /** Notes that a delivery failed; true where the engine refused the intent, which has its own pauses. */
  async function failed(workflowId: string, error: unknown): Promise<boolean> {
    const reason = reasonOf(error);
    logger.warn({ event: 'outbox.delivery_failed', workflowId, reason }, 'intent could not be delivered yet');
    if (!isRefusal(error)) return false;
    await countRefusal(workflowId, reason);
    return true;
  }

  /** Takes due intents of the workflows that are tried at once, or of the others, each workspace in its turn. */
  async function lease(areTried: boolean, most: number): Promise<string[]> {
    if (most <= 0) return [];
    const dueSql = `available_at <= now() AND set_aside_at IS NULL
      AND (workflow = ANY($tried::text[])) = $areTried`;
    const rows = await db.rows<{ workflow_id: string }>(
      `UPDATE outbox SET attempts = attempts + 1, available_at = now() + ${leaseSeconds} * interval '1 second'
       WHERE id = ANY(ARRAY(
         SELECT o.id FROM outbox o JOIN (
           SELECT id, row_number() OVER (PARTITION BY workspace_id ORDER BY available_at, id) AS turn
           FROM (SELECT id, workspace_id, available_at FROM outbox
             WHERE ${dueSql} ORDER BY available_at, id LIMIT ${mostLookedAt}) oldest
         ) due ON due.id = o.id
         WHERE o.available_at <= now() AND o.set_aside_at IS NULL
         ORDER BY due.turn, o.available_at, o.id LIMIT ${most} FOR UPDATE OF o SKIP LOCKED))
       RETURNING workflow_id`,
      { tried: [...attempts.keys()], areTried },
    );
    return [...new Set(rows.map((row) => row.workflow_id))];
  }

  return {
    tryAtOnce(workflow, attempt) {
      attempts.set(workflow, attempt as DoAtOnce);
    },
    add: (ctx, intent) => addMany(ctx.workspaceId, [intent]),
    addMany,
    async relay(limit = 500) {
      if (!engine.available()) return 0;
      const beginUntil = Date.now() + beginWithinMs;
      const leased = [
        ...(await lease(false, limit)),
        ...(await lease(true, Math.min(limit, attempts.size > 0 ? mostTrying - trying : 0))),
      ];
      const open = new Set(leased);
      const handled = open.size;
      const read: OutboxRow[] = [];
      let reading: Promise<void> | null = null;
      const readMore = async (): Promise<void> => {
        const ids = leased.splice(0, mostRead);
        const rows = await newest(ids);
        read.push(...rows);
        const found = new Set(rows.map((row) => row.workflow_id));
        // Somebody else has delivered it meanwhile.
        for (const id of ids) if (!found.has(id)) open.delete(id);
      };
      const next = async (): Promise<OutboxRow | undefined> => {
        while (read.length === 0 && (reading !== null || leased.length > 0))
          await (reading ??= readMore().finally(() => {
            reading = null;
          }));
        return read.shift();
      };
      await Promise.all(
        Array.from({ length: mostDispatching }, async () => {
          for (let row = await next(); row; row = await next()) {
            if (!engine.available() || Date.now() >= beginUntil) return;
            if (await deliver(row)) open.delete(row.workflow_id);
          }
        }),
      );
      await handBack([...open]);
      return handled;
    },
    async drain() {
      while (running.size > 0) await Promise.allSettled([...running]);
    },
  };
}
