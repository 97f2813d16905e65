import type { MacroRunOutcome } from '../../../../workflows/contract';
import type { RuleRunRow } from '../../../../models';
import { systemCtx, type Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { claimRun, failRun } from '../../resources/macros/runs';
import { failureOf, performRun, settledOutcome } from '../macroRuns/apply';
import { judge, readSubject, type Act } from './judge';
import { end, fail, lockRun, openMacroRun, settle } from './settle';

/**
 * Does what a rule was judged to do, in the transaction that judged it: its run is applied with everything that the
 * macro does, or nothing is. Throws the refusal of a step.
 */
export async function applyAct(
  ctx: Ctx,
  run: RuleRunRow,
  act: Act,
  { now, shownAfterMs }: { readonly now: Date; readonly shownAfterMs: number },
): Promise<void> {
  const opened = await openMacroRun(ctx, run, act, { state: 'applied', shownAfterMs });
  // Before its steps: what these change starts and ends waits, and this one is none any more.
  await end(ctx, run, { state: 'applied', reason: null, macro_run_id: opened.id }, now);
  await performRun(act.ctx, { ...opened, actions: act.actions, frozen: null });
}

interface Ids {
  /** Of the macro's run. */
  readonly runId: number;
  /** Of the rule's run. */
  readonly ruleRunId: number;
}

/**
 * Applies what a rule had parked and a member has approved: one transaction that judges it once more with the
 * conversation locked, and moves the rule's run to applied with everything that the macro does. What was applied, or
 * refused, as it was judged is only told.
 */
export async function applyRule(system: Ctx, { runId, ruleRunId }: Ids): Promise<MacroRunOutcome> {
  const { db } = system.runtime;
  const known = await settledOutcome(system, runId);
  if (known.kind !== 'abandoned') return known;
  const where = { id: ruleRunId, macro_run_id: runId, state: 'parked' as const };
  const parked = await of(system, db.models.RuleRun).findOne({ where, raw: true });
  try {
    const applied = await db.transaction(() => applyParked(system, parked, runId));
    return applied ?? (await settledOutcome(system, runId));
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    await db.transaction(async () => {
      const run = parked && (await lockRun(system, parked));
      await failRun(system, runId, { ...failure.step, code: failure.reason });
      if (run) await fail(system, run, failure.reason);
    });
    return settledOutcome(system, runId);
  }
}

async function applyParked(system: Ctx, parked: RuleRunRow | null, runId: number): Promise<MacroRunOutcome | null> {
  const run = parked && (await lockRun(system, parked));
  const subject = run && (await readSubject(system, run.conversation_id));
  if (!run || !subject) return skipped(system, runId, 'gone');

  const verdict = await judge(system, run, subject, { approved: true });
  if (verdict.kind !== 'apply') {
    if (verdict.kind === 'skip') await settle(system, run, verdict, subject.now);
    return skipped(system, runId, verdict.kind === 'skip' ? verdict.reason : 'later');
  }
  const macroRun = await claimRun(system, runId);
  if (!macroRun) return null;
  await end(system, run, { state: 'applied', reason: null }, subject.now);
  return performRun(approvedCtx(verdict.act, macroRun.approved_by_member_id), macroRun);
}

/** Returns the context of a rule that acts, with the member who has approved it. */
function approvedCtx({ ctx }: Act, approvedBy: number | null): Ctx {
  const { runtime, workspaceId, requestId, actor, scopes, rule } = ctx;
  const base = systemCtx(runtime, workspaceId, requestId, { ...actor, approvedBy });
  return { ...base, scopes, ...(rule ? { rule } : {}) };
}

/** Ends the macro's run without having done anything. */
async function skipped(ctx: Ctx, runId: number, reason: string): Promise<MacroRunOutcome | null> {
  const [ended] = await of(ctx, ctx.runtime.db.models.MacroRun).update(
    { state: 'abandoned', frozen: null, finished_at: dbNow },
    { where: { id: runId, state: 'pending' } },
  );
  return ended === 0 ? null : { kind: 'skipped', reason };
}
