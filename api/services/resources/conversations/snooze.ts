import { literal } from 'sequelize';
import type { DueOutcome } from '../../../../workflows/contract';
import { snoozeIntent } from '../../../../workflows/starts';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { recordEvent, recordSql } from '../../../core/events';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/scoped';
import { dbNow } from '../../../core/stored';

/** A timer that is later says that Temporal is behind; the sweep leaves timers as long to do it themselves. */
const graceMs = 500;
/** How long Temporal counts as behind after the last conversation that was overdue. */
const behindMs = 10_000;
const sweepBatch = 1_000;
/** Overdue conversations among which a sweep gives the workspaces their turns. */
const mostLookedAt = 20_000;

/** SQL: what a conversation becomes whose snooze is over. */
const opened = `conv_status = 'open', snoozed_until = NULL, snooze_version = v.snooze_version + 1, updated_at = now()`;
const wakes = { conv_status: { from: 'snoozed', to: 'open' } };

/** Sets the conversation's timer to `until`, whatever it was before; commits with the row. */
export async function armSnooze(ctx: Ctx, conversationId: number, until: Date, version: number): Promise<void> {
  await ctx.runtime.outbox.add(ctx, snoozeIntent(ctx.workspaceId, conversationId, until, version));
}

/** Ends the conversation's timer; commits with the row. */
export async function cancelSnooze(ctx: Ctx, conversationId: number, version: number): Promise<void> {
  await ctx.runtime.outbox.add(ctx, snoozeIntent(ctx.workspaceId, conversationId, null, version));
}

/**
 * Opens a conversation whose snooze is over; the row decides whether it still is the same snooze. A timer that comes
 * late says that Temporal is behind ("tomorrow at nine" is a common choice): then all that are overdue wake with it, in
 * bulk, and their own timers find nothing left to do.
 */
export async function wakeIfDue(
  ctx: Ctx,
  target: { readonly conversationId: number; readonly version: number },
): Promise<DueOutcome> {
  const { runtime, workspaceId } = ctx;
  const { conversationId, version } = target;
  const now = dueNowSql(runtime.clock);
  let late = false;
  const outcome = await runtime.db.transaction<DueOutcome>(async () => {
    // A guarded update by the database's clock.
    const woken = await runtime.db.row<{ late_ms: number }>(
      `UPDATE conversations v
       SET ${opened}
       FROM (
         SELECT id, snoozed_until
         FROM conversations
         WHERE workspace_id = $workspaceId AND id = $conversationId AND conv_status = 'snoozed'
           AND snooze_version = $version AND snoozed_until <= ${now}
         FOR UPDATE
       ) due
       WHERE v.id = due.id
       RETURNING (extract(epoch FROM ${now} - due.snoozed_until) * 1000)::float8 AS late_ms`,
      { workspaceId, conversationId, version },
    );
    if (woken) {
      await recordWake(ctx, conversationId);
      late = woken.late_ms > graceMs;
      return { kind: 'done' };
    }

    const row = await runtime.db.row<{ wait_ms: number }>(
      `SELECT ceil(extract(epoch FROM snoozed_until - ${now}) * 1000)::float8 AS wait_ms
       FROM conversations
       WHERE workspace_id = $workspaceId AND id = $conversationId AND conv_status = 'snoozed'
         AND snooze_version = $version`,
      { workspaceId, conversationId, version },
    );
    return row ? { kind: 'not_due', waitMs: Math.max(1, row.wait_ms) } : { kind: 'superseded' };
  });

  if (late) await catchUp(runtime);
  return outcome;
}

const catchingUp = new WeakSet<Runtime>();
/** Until when Temporal counts as behind. */
const behindUntil = new WeakMap<Runtime, number>();

/** Wakes what is overdue, one sweep at a time in a process; its failure is the reconcile sweep's, not this timer's. */
async function catchUp(runtime: Runtime): Promise<void> {
  behindUntil.set(runtime, performance.now() + behindMs);
  if (catchingUp.has(runtime)) return;
  catchingUp.add(runtime);
  try {
    const woken = await wakeOverdue(runtime);
    if (woken > 0)
      runtime.logger.info(
        { event: 'snooze.overdue_woken', woken },
        'timers are late: all overdue conversations were woken',
      );
  } catch (error) {
    runtime.logger.warn(
      { event: 'snooze.overdue_not_woken', errorName: error instanceof Error ? error.name : 'unknown' },
      'overdue conversations could not be woken yet',
    );
  } finally {
    catchingUp.delete(runtime);
  }
}

/**
 * Wakes what is overdue while Temporal is behind, whose timers come late then: a workspace's single conversation would
 * wait for ten thousand timers of others, all of which find nothing left to do. Returns how many were woken.
 */
export async function wakeWhileBehind(runtime: Runtime): Promise<number> {
  if ((behindUntil.get(runtime) ?? 0) < performance.now()) return 0;
  const woken = await wakeOverdue(runtime);
  if (woken > 0) behindUntil.set(runtime, performance.now() + behindMs);
  return woken;
}

/** Opens a snoozed conversation as PATCH with `open` does, for an operator's `wake` or `cancel` in the Temporal UI. */
export async function reopenByOperator(ctx: Ctx, conversationId: number): Promise<void> {
  const { db } = ctx.runtime;
  await db.transaction(async () => {
    const [woken] = await of(ctx, db.models.Conversation).update(
      {
        conv_status: 'open',
        snoozed_until: null,
        snooze_version: literal('snooze_version + 1'),
        updated_at: dbNow,
      },
      { where: { id: conversationId, conv_status: 'snoozed' } },
    );
    if (woken > 0) await recordWake(ctx, conversationId);
  });
}

async function recordWake(ctx: Ctx, conversationId: number): Promise<void> {
  await recordEvent(ctx, {
    subjectType: 'conversation',
    subjectId: conversationId,
    kind: 'woken',
    changes: wakes,
  });
}

/**
 * Opens everything that is overdue, however long ago, in bulk statements and in the turns of the workspaces; returns
 * how many.
 */
export async function wakeOverdue(runtime: Runtime): Promise<number> {
  const overdue = `${dueNowSql(runtime.clock)} - ${graceMs} * interval '1 millisecond'`;
  let total = 0;
  for (;;) {
    const [row] = await runtime.db.rows<{ woken: number }>(
      `WITH due AS (
         SELECT id
         FROM conversations
         WHERE id = ANY(ARRAY(
           SELECT id
           FROM (
             SELECT id, snoozed_until, row_number() OVER (PARTITION BY workspace_id ORDER BY snoozed_until) AS turn
             FROM (SELECT id, workspace_id, snoozed_until FROM conversations
               WHERE conv_status = 'snoozed' AND snoozed_until <= ${overdue}
               ORDER BY snoozed_until LIMIT ${mostLookedAt}) oldest
           ) waiting
           ORDER BY turn, snoozed_until LIMIT ${sweepBatch}))
           AND conv_status = 'snoozed' AND snoozed_until <= ${overdue}
         FOR UPDATE SKIP LOCKED
       ), woken AS (
         UPDATE conversations v
         SET ${opened}
         FROM due
         WHERE v.id = due.id
         RETURNING v.id, v.workspace_id
       ), recorded AS (${recordSql('woken', {
         subjectType: "'conversation'",
         subjectId: 'id',
         kind: "'woken'",
         changes: `'${JSON.stringify(wakes)}'`,
         requestId: "'reconcile'",
       })})
       SELECT count(*)::int AS woken FROM woken`,
    );
    const woken = row?.woken ?? 0;
    total += woken;
    if (woken < sweepBatch) return total;
  }
}
