import type { MacroRunOutcome } from '../../../../workflows/contract';
import { systemCtx, type Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/stored';
import { claimRun, failRun } from '../../resources/macros/runs';
import { lockConversation } from '../../resources/conversations/service';
import { failureOf, performRun, settledOutcome } from '../macroRuns/apply';
import { judge, readSubject, type Act } from './judge';
import { end, fail, settle } from './settle';

interface Ids {
  /** Of the macro's run. */
  readonly runId: number;
  /** Of the rule's run. */
  readonly ruleRunId: number;
}

/**
 * Applies what a rule was judged to do: one transaction that judges it once more with the conversation locked, and
 * moves the rule's run from waiting to applied with everything that the macro does. Killed anywhere, both are there or
 * neither. What a step refuses fails the run; what holds no more ends it, and nothing is applied.
 */
export async function applyRule(system: Ctx, { runId, ruleRunId }: Ids): Promise<MacroRunOutcome> {
  try {
    const applied = await system.runtime.db.transaction(() => applyJudged(system, { runId, ruleRunId }));
    return applied ?? (await settledOutcome(system, runId));
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    await system.runtime.db.transaction(async () => {
      await failRun(system, runId, { ...failure.step, code: failure.reason });
      const run = await runOf(system, { runId, ruleRunId });
      if (run) await fail(system, run, failure.reason);
    });
    return settledOutcome(system, runId);
  }
}

const runs = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.RuleRun);

/** Returns the rule's run while it waits for this run of the macro. */
function runOf(ctx: Ctx, { runId, ruleRunId }: Ids) {
  return runs(ctx).findOne({
    where: { id: ruleRunId, macro_run_id: runId, state: ['waiting', 'parked'] },
    lock: true,
    raw: true,
  });
}

async function applyJudged(system: Ctx, ids: Ids): Promise<MacroRunOutcome | null> {
  const waiting = await runs(system).findOne({ where: { id: ids.ruleRunId }, raw: true });
  if (waiting) await lockConversation(system, { conversationId: waiting.conversation_id });
  const run = await runOf(system, ids);
  const subject = run && (await readSubject(system, run.conversation_id));
  if (!run || !subject) return skipped(system, ids, 'gone');

  const verdict = await judge(system, run, subject, { approved: run.state === 'parked' });
  if (verdict.kind !== 'apply') {
    await settle(system, run, verdict, subject.now);
    return skipped(system, ids, verdict.kind === 'skip' ? verdict.reason : 'later');
  }
  const macroRun = await claimRun(system, ids.runId);
  if (!macroRun) return null;
  // Before its steps: what these change starts and ends waits, and this one is none any more.
  await end(system, run, { state: 'applied', reason: null }, subject.now);
  return performRun(actingCtx(verdict.act, macroRun.approved_by_member_id), macroRun);
}

/** Returns the context of a rule that acts, with the member who has approved it. */
function actingCtx({ ctx }: Act, approvedBy: number | null): Ctx {
  const { runtime, workspaceId, requestId, actor, scopes, rule } = ctx;
  const base = systemCtx(runtime, workspaceId, requestId, { ...actor, approvedBy });
  return { ...base, scopes, ...(rule ? { rule } : {}) };
}

/** Ends the macro's run without having done anything. */
async function skipped(ctx: Ctx, { runId }: Ids, reason: string): Promise<MacroRunOutcome | null> {
  const [ended] = await of(ctx, ctx.runtime.db.models.MacroRun).update(
    { state: 'abandoned', frozen: null, finished_at: dbNow },
    { where: { id: runId, state: 'pending' } },
  );
  return ended === 0 ? null : { kind: 'skipped', reason };
}
