import type { Logger } from 'pino';
import type { WorkflowInputs } from '../../workflows/contract';
import type { Intent } from '../../workflows/starts';
import type { Ctx } from './context';
import type { Db } from './db';
import type { Engine } from './temporal';
import type { Timing } from './process';
import type { Tracing } from './tracing';
import { reasonOf } from './faults';
import { grouped } from './grouped';
import {
  handBackIntents,
  insertIntents,
  leaseIntents,
  newestIntents,
  postponeRefused,
  removeIntents,
  type AddOptions,
  type OutboxRow,
  type StoredIntent,
} from './outboxRows';

/** Limits of dispatches running and waiting in one process; the relays deliver what exceeds them. */
const mostDispatching = 16;
const mostWaiting = 64;

/** Intents that a relay has its process try at once, or wait for room: more would only be given back and read again. */
const mostTrying = 200;
/** How long a relay gathers what became of intents, so that one statement writes it down for many. */
const gatherMs = 20;
/** Intents that a relay reads at a time: few, so that none is long out of date when it is delivered. */
const mostRead = 50;

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

/** Creates the outbox of one process. */
export function createOutbox(db: Db, engine: Engine, logger: Logger, tracing: Tracing, timing: Timing): Outbox {
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

  /** Hands an intent to the engine, then removes it. */
  async function hand(row: OutboxRow): Promise<void> {
    const { start, input, argument } = row.input;
    await tracing.span(
      `intent ${row.workflow}`,
      { kind: 'producer', parent: row.trace, attributes: { 'msgdesk.workspace_id': row.workspace_id } },
      () =>
        row.signal === null ? engine.start(start, input) : engine.signalWithStart(start, input, row.signal, argument),
    );
    await removeIntents(db, [row]);
  }

  /** Hands the newest intent of a workflow id to the engine. */
  async function dispatch(workflowId: string): Promise<void> {
    const [row] = await newestIntents(db, [workflowId]);
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
  function begin(intents: readonly Intent[], stored: readonly StoredIntent[], trace: string | null): void {
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

  async function addMany(workspaceId: number, intents: readonly Intent[], how: AddOptions = {}): Promise<void> {
    if (intents.length === 0) return;
    const trace = tracing.current();
    const stored = await insertIntents(db, workspaceId, intents, { ...how, trace });
    db.afterCommit(() => begin(intents, stored, trace));
  }

  /** Writes down what became of intents that were tried at once: several by one statement. */
  const gathered = { most: mostTrying, lingerMs: gatherMs };
  const removed = grouped<OutboxRow>((rows) => removeIntents(db, rows), gathered);
  const postponed = grouped<string>((ids) => handBackIntents(db, ids), gathered);

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
    if (await postponeRefused(db, workflowId, reason))
      logger.error(
        { event: 'outbox.intent_set_aside', alert: 'intent_set_aside', workflowId, reason },
        'Temporal refused an intent for good',
      );
    return true;
  }

  return {
    tryAtOnce(workflow, attempt) {
      attempts.set(workflow, attempt as DoAtOnce);
    },
    add: (ctx, intent) => addMany(ctx.workspaceId, [intent]),
    addMany,
    async relay(limit = 500) {
      if (!engine.available()) return 0;
      const { relayLeaseMs: leaseMs } = timing;
      const beginUntil = Date.now() + timing.relayBeginsForMs;
      const tried = [...attempts.keys()];
      const leased = [
        ...(await leaseIntents(db, { workflows: tried, others: true, leaseMs }, limit)),
        ...(await leaseIntents(
          db,
          { workflows: tried, leaseMs },
          tried.length === 0 ? 0 : Math.min(limit, mostTrying - trying),
        )),
      ];
      const open = new Set(leased);
      const handled = open.size;
      const read: OutboxRow[] = [];
      let reading: Promise<void> | null = null;
      const readMore = async (): Promise<void> => {
        const ids = leased.splice(0, mostRead);
        const rows = await newestIntents(db, ids);
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
      await handBackIntents(db, [...open]);
      return handled;
    },
    async drain() {
      while (running.size > 0) await Promise.allSettled([...running]);
    },
  };
}
