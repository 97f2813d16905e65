import { literal, Op } from 'sequelize';
import type { DueOutcome } from '../../../../workflows/contract';
import { dueNowSql, overdueSql } from '../../../core/clock';
import { systemCtx, type Ctx } from '../../../core/context';
import { isRetryable, isDatabaseAway } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/stored';
import { inTurnsSql } from '../../../core/db/turnsSql';
import { AppError, isTemporary } from '../../../core/http/errors';
import { reasonOf } from '../../../core/http/faults';
import { forEachOf } from '../../../core/queue/parallel';
import { runApart } from '../../../core/queue/sweep';
import type { Runtime } from '../../../core/runtime';
import { lockConversation } from '../../resources/conversations/service';
import { failureOf } from '../macroRuns/apply';
import { judge, readSubject } from '../ruleRuns/judge';
import { park } from './park';
import { fail, openMacroRun, settle } from '../ruleRuns/settle';

/** Conversations of one look. */
const maxJudgedTogether = 100;
/** When it is asked again whether members can be asked to decide about one more. */
const fullForMs = 60_000;
/** Conversations that are judged at the same time: their statements share the connections of the process. */
const atOnce = 4;

/**
 * Judges what is due of the rules that wait on a conversation, one after the other, with the conversation locked. What
 * is to be applied is applied by the workflow of its macro, which judges it once more. Returns when to look again.
 */
export async function judgeDue(ctx: Ctx, conversationId: number): Promise<DueOutcome> {
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    const conversation = await lockConversation(ctx, { conversationId }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    });
    // One that was merged has taken its waits along.
    if (conversation?.id !== conversationId) return { kind: 'superseded' };
    const { RuleRun } = db.models;
    // Locked before it is read whether their rules are paused: whoever lets these go on waits for what is written here.
    const due = await of(ctx, RuleRun).findAll({
      where: {
        conversation_id: conversationId,
        look_at: { [Op.lte]: literal(dueNowSql(ctx.runtime.clock)) as unknown as Date },
      },
      order: ['moment', 'id'],
      lock: true,
      raw: true,
    });
    for (const run of due) await judgeOne(ctx, run);

    const next = await db.row<{ wait_ms: number | null }>(
      `SELECT ceil(extract(epoch FROM min(look_at) - ${dueNowSql(ctx.runtime.clock)}) * 1000)::float8 AS wait_ms
       FROM rule_runs
       WHERE workspace_id = $workspaceId AND conversation_id = $conversationId AND look_at IS NOT NULL`,
      { workspaceId: ctx.workspaceId, conversationId },
    );
    if (typeof next?.wait_ms === 'number') return { kind: 'not_due', waitMs: Math.max(1, next.wait_ms) };
    return { kind: due.length > 0 ? 'done' : 'superseded' };
  });
}

type Run = Parameters<typeof judge>[1];

/** Judges one run. What goes wrong with it fails it alone; what may pass is tried again. */
async function judgeOne(ctx: Ctx, run: Run): Promise<void> {
  try {
    await ctx.runtime.db.savepoint(async () => {
      // Read for each: the one before may have changed what this one asks for.
      const subject = await readSubject(ctx, run.conversation_id);
      if (!subject) return;
      if (run.macro_run_id !== null) await giveUp(ctx, run.macro_run_id);
      const verdict = await judge(ctx, run, subject);
      if (verdict.kind !== 'apply') return settle(ctx, run, verdict, subject.now);
      const parked = await park(ctx, run, verdict.act);
      if (parked === 'free') await openMacroRun(ctx, run, verdict.act, subject.now);
      if (parked === 'full')
        await settle(ctx, run, { kind: 'later', at: new Date(subject.now.getTime() + fullForMs) }, subject.now);
    });
  } catch (error) {
    if (mayPass(error)) throw error;
    const refused = failureOf(error);
    if (refused) return fail(ctx, run, refused.reason);
    ctx.logger.error(
      { event: 'rule.judging_failed', runId: run.id, reason: reasonOf(error) },
      'a rule cannot be judged',
    );
    await fail(ctx, run, 'fault');
  }
}

function mayPass(error: unknown): boolean {
  return (error instanceof AppError && isTemporary(error)) || isRetryable(error) || isDatabaseAway(error);
}

/**
 * Gives up the macro that a run has waited for, where its workflow has not applied it: the row that it moves from
 * pending decides, and the run is judged anew.
 */
async function giveUp(ctx: Ctx, macroRunId: number): Promise<void> {
  await of(ctx, ctx.runtime.db.models.MacroRun).update(
    { state: 'abandoned', frozen: null, finished_at: dbNow },
    { where: { id: macroRunId, state: 'pending' } },
  );
}

/** SQL: the waits that are overdue, in the turns of the workspaces. */
const overdueWaitsSql = ({ clock }: Runtime, limit: number): string =>
  inTurnsSql({
    table: 'rule_runs',
    where: 'look_at IS NOT NULL',
    due: overdueSql('look_at', clock),
    order: 'look_at, id',
    columns: 'workspace_id, conversation_id',
    limit,
  });

/** SQL: whether a wait of any workspace is overdue. */
export const someOverdueWaitSql = (runtime: Runtime): string =>
  `(SELECT 1 FROM (${overdueWaitsSql(runtime, 1)}) due LIMIT 1) IS NOT NULL`;

/**
 * Judges what is overdue in every workspace, in turns, some conversations at a time: of a crowd of waits that end
 * together, or of timers that were lost. Returns how many conversations; with any, there may be more.
 */
export async function judgeOverdue(runtime: Runtime): Promise<number> {
  // SQL, by the database's clock.
  const rows = await runtime.db.rows<{ workspace_id: number; conversation_id: number }>(
    `SELECT DISTINCT workspace_id, conversation_id FROM (${overdueWaitsSql(runtime, maxJudgedTogether)}) due`,
  );
  const failures: (() => Promise<number>)[] = [];
  await forEachOf(rows, atOnce, async ({ workspace_id: workspaceId, conversation_id: conversationId }) => {
    await judgeDue(systemCtx(runtime, workspaceId, `rules/${conversationId}`), conversationId).catch(
      (error: unknown) => {
        failures.push(() => Promise.reject(error as Error));
      },
    );
  });
  // One that fails keeps none of the others from being judged.
  await runApart(failures);
  return rows.length;
}
