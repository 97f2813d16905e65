import type { Logger } from 'pino';
import type { WorkflowInputs } from '../../workflows/contract';
import type { Intent, WorkflowStart } from '../../workflows/starts';
import type { Ctx } from './context';
import type { Db } from './db';
import type { Engine } from './temporal';

/** Limits of dispatches running and waiting in one process; the relays deliver what exceeds them. */
const mostDispatching = 16;
const mostWaiting = 64;

/** How long the rows that a relay has taken are hidden from other relays. */
const leaseSeconds = 10;
/** A relay starts no call after this time, so that the last one, which may take 2 s, ends within the lease. */
const beginWithinMs = 7_000;
/** The longest pause between two tries of an intent while Temporal is unreachable. */
const maxBackoffSeconds = 5;
/** How often Temporal may refuse an intent, with growing pauses (about twenty minutes), before it is set aside. */
const maxRefusals = 20;
const refusalPauseSeconds = 5;

interface OutboxRow {
  id: number;
  workflow: keyof WorkflowInputs;
  workflow_id: string;
  signal: string | null;
  version: number;
  input: { start: WorkflowStart; input: WorkflowInputs[keyof WorkflowInputs]; argument?: unknown };
  last_id: number;
}

/** Passes intents to Temporal. */
export interface Outbox {
  /** Inserts an intent in the surrounding transaction and dispatches it after the commit, without waiting for it. */
  add(ctx: Ctx, intent: Intent): Promise<void>;
  /** Inserts many intents in one statement. */
  addMany(workspaceId: number, intents: readonly Intent[]): Promise<void>;
  /** Delivers intents that the committing process did not; returns the number of workflow ids. */
  relay(limit?: number): Promise<number>;
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
export function createOutbox(db: Db, engine: Engine, logger: Logger): Outbox {
  const running = new Set<Promise<void>>();
  const waiting: string[] = [];

  /** Sends the newest intent of a workflow id, then removes it and all older ones. */
  async function dispatch(workflowId: string): Promise<void> {
    const row = await db.row<OutboxRow>(
      `SELECT *, (SELECT max(id) FROM outbox WHERE workflow_id = $workflowId) AS last_id
       FROM outbox WHERE workflow_id = $workflowId AND set_aside_at IS NULL ORDER BY version DESC, id DESC LIMIT 1`,
      { workflowId },
    );
    if (!row) return;
    const { start, input, argument } = row.input;
    if (row.signal === null) await engine.start(start, input);
    else await engine.signalWithStart(start, input, row.signal, argument);
    await db.rows('DELETE FROM outbox WHERE workflow_id = $workflowId AND id <= $lastId AND version <= $version', {
      workflowId,
      lastId: row.last_id,
      version: row.version,
    });
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
      if (running.size >= mostDispatching) continue;
      const work = dispatchWaiting();
      running.add(work);
      void work.finally(() => running.delete(work));
    }
  }

  async function dispatchWaiting(): Promise<void> {
    for (let workflowId = waiting.shift(); workflowId !== undefined; workflowId = waiting.shift()) {
      try {
        await dispatch(workflowId);
      } catch (error) {
        // The row stays; a relay delivers it.
        logger.debug(
          { event: 'outbox.left_to_relay', workflowId, reason: error instanceof Error ? error.message : String(error) },
          'intent left to the relay',
        );
        if (!engine.available()) waiting.length = 0;
      }
    }
  }

  async function addMany(workspaceId: number, intents: readonly Intent[]): Promise<void> {
    if (intents.length === 0) return;
    await db.rows(
      `INSERT INTO outbox (workspace_id, workflow, workflow_id, signal, version, input)
       SELECT $workspaceId, i.workflow, i.id, i.signal, i.version, i.input
       FROM jsonb_to_recordset($intents::jsonb)
         AS i(workflow text, id text, signal text, version integer, input jsonb)`,
      {
        workspaceId,
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
    const ids = intents.map((intent) => intent.start.id);
    db.afterCommit(() => dispatchSoon(ids));
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

  return {
    add: (ctx, intent) => addMany(ctx.workspaceId, [intent]),
    addMany,
    async relay(limit = 500) {
      if (!engine.available()) return 0;
      const beginUntil = Date.now() + beginWithinMs;
      const leased = await db.rows<{ workflow_id: string }>(
        `UPDATE outbox SET attempts = attempts + 1, available_at = now() + ${leaseSeconds} * interval '1 second'
         WHERE id = ANY(ARRAY(
           SELECT id FROM outbox WHERE available_at <= now() AND set_aside_at IS NULL
           ORDER BY available_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED))
         RETURNING workflow_id`,
      );
      const open = new Set(leased.map((row) => row.workflow_id));
      const handled = open.size;
      const queue = [...open];
      await Promise.all(
        Array.from({ length: 16 }, async () => {
          for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
            if (!engine.available() || Date.now() >= beginUntil) return;
            try {
              await dispatch(next);
              open.delete(next);
            } catch (error) {
              const reason = error instanceof Error ? error.message : String(error);
              logger.warn(
                { event: 'outbox.delivery_failed', workflowId: next, reason },
                'intent could not be delivered yet',
              );
              if (isRefusal(error)) {
                await countRefusal(next, reason);
                open.delete(next);
              }
            }
          }
        }),
      );
      await handBack([...open]);
      return handled;
    },
    async drain() {
      await Promise.allSettled([...running]);
    },
  };
}
