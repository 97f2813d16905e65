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
/** How long overdue conversations are looked for after the last one, or after one that was due with others. */
const behindMs = 10_000;
const sweepBatch = 1_000;
/** Overdue conversations among which a sweep gives the workspaces their turns. */
const mostLookedAt = 20_000;

/** How many timers of one second fire in it; where more snoozes end, most timers fire later. */
const punctual = 10;
const mostCounted = 2_000;
/** Some more fire within this time, in case that those of the second itself are cancelled. */
const soonMs = 20_000;
/** Over how long the others fire: by then they find nothing left to do. */
const spreadMs = 60 * 60_000;

/** SQL: what a conversation becomes whose snooze is over. */
const opened = `conv_status = 'open', snoozed_until = NULL, snooze_version = v.snooze_version + 1, updated_at = now()`;
const wakes = { conv_status: { from: 'snoozed', to: 'open' } };

/** Sets the conversation's timer to `until`, whatever it was before; commits with the row. */
export async function armSnooze(ctx: Ctx, conversationId: number, until: Date, version: number): Promise<void> {
  const lateMs = await timerDelay(ctx.runtime, until);
  await ctx.runtime.outbox.add(ctx, snoozeIntent(ctx.workspaceId, conversationId, until, version, lateMs));
}

/**
 * Returns how much later than due a snooze's timer fires, in ms: 0, but where so many end in the same second ("tomorrow
 * at nine"), in whichever workspace, that their timers would hold up everything else at Temporal. Some of these, picked
 * at random so that nobody ends them all, fire in time or soon, and the conversations of the others wake with them
 * (`wakeIfDue`); whatever they miss is woken by the sweep of each minute.
 */
export async function timerDelay(runtime: Runtime, until: Date): Promise<number> {
  const row = await runtime.db.row<{ others: number }>(
    `SELECT count(*)::int AS others
     FROM (
       SELECT 1 FROM conversations
       WHERE conv_status = 'snoozed' AND snoozed_until >= date_trunc('second', $until::timestamptz)
         AND snoozed_until < date_trunc('second', $until::timestamptz) + interval '1 second'
       LIMIT ${mostCounted}
     ) same_second`,
    { until },
  );
  const others = row?.others ?? 0;
  const lot = Math.random() * others;
  if (others <= punctual || lot < 1) return 0;
  return Math.ceil(Math.random() * (lot < punctual ? soonMs : spreadMs));
}

/** Ends the conversation's timer; commits with the row. */
export async function cancelSnooze(ctx: Ctx, conversationId: number, version: number): Promise<void> {
  await ctx.runtime.outbox.add(ctx, snoozeIntent(ctx.workspaceId, conversationId, null, version));
}

/**
 * Opens a conversation whose snooze is over; the row decides whether it still is the same snooze. A timer that comes
 * late says that Temporal is behind ("tomorrow at nine" is a common choice): then the process wakes all that are
 * overdue, in bulk (`wakeWhileBehind`), and their own timers find nothing left to do. So it does with a crowd, after
 * one of it whose timer came in time.
 */
export async function wakeIfDue(
  ctx: Ctx,
  target: { readonly conversationId: number; readonly version: number },
): Promise<DueOutcome> {
  const { runtime, workspaceId } = ctx;
  const { conversationId, version } = target;
  const now = dueNowSql(runtime.clock);
  let othersToo = false;
  const outcome = await runtime.db.transaction<DueOutcome>(async () => {
    // A guarded update by the database's clock.
    const woken = await runtime.db.row<{ late_ms: number; in_company: boolean }>(
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
       RETURNING (extract(epoch FROM ${now} - due.snoozed_until) * 1000)::float8 AS late_ms,
         EXISTS (SELECT 1 FROM conversations o
           WHERE o.conv_status = 'snoozed' AND o.snoozed_until <= ${now} + interval '1 second' AND o.id <> due.id
         ) AS in_company`,
      { workspaceId, conversationId, version },
    );
    if (woken) {
      await recordWake(ctx, conversationId);
      othersToo = woken.in_company || woken.late_ms > graceMs;
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

  if (othersToo) lookForOverdue(runtime);
  return outcome;
}

/** Until when conversations are looked for whose timers do not come in time. */
const lookingUntil = new WeakMap<Runtime, number>();

function lookForOverdue(runtime: Runtime): void {
  lookingUntil.set(runtime, performance.now() + behindMs);
}

/**
 * Wakes what is overdue while Temporal is behind, whose timers come late then, and in a crowd, whose timers come later
 * by intent: a workspace's single conversation would wait for ten thousand timers of others. Returns how many woke.
 */
export async function wakeWhileBehind(runtime: Runtime): Promise<number> {
  if ((lookingUntil.get(runtime) ?? 0) < performance.now()) return 0;
  const woken = await wakeOverdue(runtime);
  if (woken > 0) {
    lookForOverdue(runtime);
    runtime.logger.info({ event: 'snooze.overdue_woken', woken }, 'overdue conversations were woken together');
  }
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
