import type { Logger } from 'pino';
import type { Intent } from '../../../workflows/starts';
import type { Db } from '../db/database';
import { isOfConnection, type Temporal } from '../temporal/client';
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
  /**
   * Inserts an intent in the surrounding transaction and delivers it after the commit, without waiting for it; or a
   * relay does so much later, where it is not urgent.
   */
  add(ctx: { readonly workspaceId: number }, intent: Intent, afterMs?: number): Promise<void>;
  /** Inserts many intents in one statement. */
  addMany(workspaceId: number, intents: readonly Intent[]): Promise<void>;
  /** Delivers intents that the committing process did not; returns the number of workflow ids that are dealt with. */
  relay(limit?: number): Promise<number>;
  /** Waits for deliveries under way (graceful stop, tests). */
  drain(): Promise<void>;
}

/** Creates the outbox of one process. */
export function createOutbox(db: Db, temporal: Temporal, logger: Logger, tracing: Tracing, timing: Timing): Outbox {
  const running = new Set<Promise<void>>();
  const waiting: string[] = [];
  /** How many a relay leases: half as many after what Temporal did not take in time, and twice as many after all. */
  let size = batchRows;

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
   * Delivers an intent that a relay has leased. Returns why it should be tried again soon, null when it was delivered;
   * one that cannot be delivered has its own pauses.
   */
  async function deliver(row: OutboxRow): Promise<string | null> {
    const { workflow_id: workflowId } = row;
    try {
      await hand(row);
      return null;
    } catch (error) {
      const reason = reasonOf(error);
      logger.warn({ event: 'outbox.delivery_failed', workflowId, reason }, 'intent could not be delivered yet');
      if (isOfConnection(error)) return reason;
      if (await postponeRefused(db, workflowId, reason))
        logger.error(
          { event: 'outbox.intent_set_aside', alert: 'intent_set_aside', workflowId, reason },
          'an intent was set aside',
        );
      return null;
    }
  }

  async function addMany(workspaceId: number, intents: readonly Intent[], afterMs = 0): Promise<void> {
    if (intents.length === 0) return;
    await insertIntents(db, workspaceId, intents, { trace: tracing.current(), afterMs });
    if (afterMs > 0) return;
    db.afterCommit(() => handSoon(intents.map(({ start }) => start.id)));
  }

  return {
    add: (ctx, intent, afterMs) => addMany(ctx.workspaceId, [intent], afterMs),
    addMany: (workspaceId, intents) => addMany(workspaceId, intents),
    async relay(limit = batchRows) {
      if (!temporal.available()) return 0;
      const beginUntilMs = performance.now() + timing.relayBeginsForMs;
      const leased = await leaseIntents(db, Math.min(limit, size), timing.relayLeaseMs);
      // Intents that are not found any more were delivered meanwhile.
      const rows = await newestIntents(db, leased);
      /** Those that were not delivered, and why; null for those that were not tried. */
      const left = new Map<string, string | null>(rows.map((row) => [row.workflow_id, null]));
      await forEachOf(rows, Math.min(maxCallsAtOnce, size), async (row) => {
        if (!temporal.available() || performance.now() >= beginUntilMs) return;
        const why = await deliver(row);
        if (why === null) left.delete(row.workflow_id);
        else left.set(row.workflow_id, why);
      });
      size = left.size === 0 ? Math.min(batchRows, 2 * size) : Math.max(1, Math.floor(size / 2));
      await handBackIntents(db, left);
      return leased.length - left.size;
    },
    async drain() {
      while (running.size > 0) await Promise.allSettled([...running]);
    },
  };
}
