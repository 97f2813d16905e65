import type { Logger } from 'pino';
import type { Intent } from '../../../workflows/starts';
import type { Db } from '../db/database';
import type { Temporal } from '../temporal/client';
import type { Timing } from '../process';
import type { Tracing } from '../http/tracing';
import { reasonOf } from '../http/faults';
import {
  handBackIntents,
  insertIntents,
  leaseIntents,
  newestIntents,
  postponeRefused,
  removeIntents,
  type OutboxRow,
} from './outboxRows';
import { batchRows, forEachOf, maxCallsAtOnce } from './parallel';

/**
 * Passes intents to Temporal: they commit together with a change, and must happen even if the process dies afterwards.
 */
export interface Outbox {
  /** Inserts an intent in the surrounding transaction and delivers it after the commit, without waiting for it. */
  add(ctx: { readonly workspaceId: number }, intent: Intent): Promise<void>;
  /** Inserts many intents in one statement. */
  addMany(workspaceId: number, intents: readonly Intent[]): Promise<void>;
  /** Delivers intents that the committing process did not; returns the number of workflow ids. */
  relay(limit?: number): Promise<number>;
  /** Waits for deliveries under way (graceful stop, tests). */
  drain(): Promise<void>;
}

/**
 * gRPC: INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE. Every other error concerns Temporal itself or the access
 * to it.
 */
const refusalCodes: readonly unknown[] = [3, 9, 11];

/** Returns whether Temporal refuses this intent, and not every call. */
function isRefusal(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return refusalCodes.includes(code ?? cause?.code);
}

/** Creates the outbox of one process. */
export function createOutbox(db: Db, temporal: Temporal, logger: Logger, tracing: Tracing, timing: Timing): Outbox {
  const running = new Set<Promise<void>>();
  const waiting: string[] = [];

  /** Hands an intent to Temporal, then removes it. */
  async function hand(row: OutboxRow): Promise<void> {
    const { start, input, argument } = row.input;
    await tracing.span(
      `intent ${row.workflow}`,
      { kind: 'producer', parent: row.trace, attributes: { 'msgdesk.workspace_id': row.workspace_id } },
      () =>
        row.signal === null
          ? temporal.start(start, input)
          : temporal.signalWithStart(start, input, row.signal, argument),
    );
    await removeIntents(db, [row]);
  }

  /**
   * Delivers what was just committed, a few at a time. When commits are faster than Temporal, queued calls would all
   * miss their deadline, so the surplus stays in the table for the relays, which give the workspaces their turns.
   */
  function handSoon(workflowIds: readonly string[]): void {
    if (!temporal.available() || workflowIds.length > maxCallsAtOnce) return;
    for (const workflowId of new Set(workflowIds)) {
      if (waiting.length >= batchRows) return;
      waiting.push(workflowId);
      if (running.size >= maxCallsAtOnce) continue;
      const work: Promise<void> = handWaiting().finally(() => running.delete(work));
      running.add(work);
    }
  }

  async function handWaiting(): Promise<void> {
    for (let workflowId = waiting.shift(); workflowId !== undefined; workflowId = waiting.shift()) {
      try {
        const [row] = await newestIntents(db, [workflowId]);
        if (row) await hand(row);
      } catch (error) {
        // The row stays; a relay delivers it.
        const reason = reasonOf(error);
        logger.debug({ event: 'outbox.left_to_relay', workflowId, reason }, 'intent left to the relay');
        if (!temporal.available()) waiting.length = 0;
      }
    }
  }

  /**
   * Delivers an intent that a relay has leased. Returns false when it should be tried again soon; a refused one has its
   * own pauses.
   */
  async function deliver(row: OutboxRow): Promise<boolean> {
    const { workflow_id: workflowId } = row;
    try {
      await hand(row);
      return true;
    } catch (error) {
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
  }

  async function addMany(workspaceId: number, intents: readonly Intent[]): Promise<void> {
    if (intents.length === 0) return;
    await insertIntents(db, workspaceId, intents, tracing.current());
    db.afterCommit(() => handSoon(intents.map(({ start }) => start.id)));
  }

  return {
    add: (ctx, intent) => addMany(ctx.workspaceId, [intent]),
    addMany,
    async relay(limit = batchRows) {
      if (!temporal.available()) return 0;
      const beginUntil = Date.now() + timing.relayBeginsForMs;
      const leased = await leaseIntents(db, limit, timing.relayLeaseMs);
      // Intents that are not found any more were delivered meanwhile.
      const rows = await newestIntents(db, leased);
      const left = new Set(rows.map((row) => row.workflow_id));
      await forEachOf(rows, maxCallsAtOnce, async (row) => {
        if (!temporal.available() || Date.now() >= beginUntil) return;
        if (await deliver(row)) left.delete(row.workflow_id);
      });
      await handBackIntents(db, [...left]);
      return leased.length;
    },
    async drain() {
      while (running.size > 0) await Promise.allSettled([...running]);
    },
  };
}
