import type { Logger } from 'pino';
import type { WorkflowInputs, WorkflowStart } from '../../workflows/contract';
import type { Ctx } from './context';
import type { Db } from './db';
import type { Engine } from './temporal';

/** Dispatches under way per process, and those that wait for one: what is beyond them is left to the relays. */
const mostDispatching = 16;
const mostWaiting = 64;

/** Longest pause between two tries of an intent: after an outage everything is delivered within seconds. */
const maxBackoffSeconds = 5;

/** An intent that commits with the change it follows from (architecture.md 4). */
export interface Intent<W extends keyof WorkflowInputs = keyof WorkflowInputs> {
  readonly start: WorkflowStart & { workflow: W };
  readonly input: WorkflowInputs[W];
  /** Absent: the workflow is only started. */
  readonly signal?: string;
  readonly argument?: unknown;
  /** State, not a delta: only the highest version of a workflow id is delivered. */
  readonly version?: number;
}

interface OutboxRow {
  id: number;
  workflow: keyof WorkflowInputs;
  workflow_id: string;
  signal: string | null;
  version: number;
  input: { start: WorkflowStart; input: WorkflowInputs[keyof WorkflowInputs]; argument?: unknown };
  last_id: number;
}

/** Hands intents to the engine. */
export interface Outbox {
  /** Inserts the intent in the surrounding transaction; after commit it is dispatched without being waited for. */
  add(ctx: Ctx, intent: Intent): Promise<void>;
  /** Inserts many intents in one statement. */
  addMany(workspaceId: number, intents: readonly Intent[]): Promise<void>;
  /** Delivers what the committing process did not; gives how many workflow ids it handled. */
  relay(limit?: number): Promise<number>;
  /** Waits for dispatches under way (graceful stop, tests). */
  drain(): Promise<void>;
}

/** The outbox of one process. */
export function createOutbox(db: Db, engine: Engine, logger: Logger): Outbox {
  const running = new Set<Promise<void>>();
  const waiting: string[] = [];

  /** Sends the newest intent of a workflow id, then removes it and all older ones. */
  async function dispatch(workflowId: string): Promise<void> {
    const row = await db.row<OutboxRow>(
      `SELECT *, (SELECT max(id) FROM outbox WHERE workflow_id = $workflowId) AS last_id
       FROM outbox WHERE workflow_id = $workflowId ORDER BY version DESC, id DESC LIMIT 1`,
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
   * Takes them up at once, a few at a time. When commits come faster than the engine takes them, calls that all queue
   * there would all meet their deadline: the surplus stays in the table and goes at the engine's pace.
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
          { workflowId, reason: error instanceof Error ? error.message : String(error) },
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
       FROM jsonb_to_recordset($intents::jsonb) AS i(workflow text, id text, signal text, version integer, input jsonb)`,
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

  return {
    add: (ctx, intent) => addMany(ctx.workspaceId, [intent]),
    addMany,
    async relay(limit = 500) {
      if (!engine.available()) return 0;
      const leased = await db.rows<{ workflow_id: string }>(
        `UPDATE outbox SET attempts = attempts + 1, available_at = now() + least(${maxBackoffSeconds}, 1 + attempts) * interval '1 second'
         WHERE id IN (SELECT id FROM outbox WHERE available_at <= now() ORDER BY available_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
         RETURNING workflow_id`,
      );
      const ids = [...new Set(leased.map((row) => row.workflow_id))];
      const queue = [...ids];
      await Promise.all(
        Array.from({ length: 16 }, async () => {
          for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
            if (!engine.available()) return;
            try {
              await dispatch(next);
            } catch (error) {
              logger.warn(
                { workflowId: next, reason: error instanceof Error ? error.message : String(error) },
                'intent could not be delivered yet',
              );
            }
          }
        }),
      );
      return ids.length;
    },
    async drain() {
      await Promise.allSettled([...running]);
    },
  };
}
