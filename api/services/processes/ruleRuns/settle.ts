import type { RuleRunRow } from '../../../../models';
import { ruleMacroIntent } from '../../../../workflows/starts';
import { cut } from '../../../core/text/cut';
import { dueNow } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { recordEvent } from '../../../core/queue/events';
import { lockConversation } from '../../resources/conversations/service';
import { openRun, type RunRecord } from '../../resources/macros/runs';
import { noteLate, pauseRules } from '../../resources/rules/pausing';
import { holdRule } from '../../resources/rules/rows';
import { layAside } from '../../resources/rules/waits';
import type { Act, Verdict } from './judge';

const runs = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.RuleRun);

/** So many failures of one kind in a row, and nothing else between them, pause a rule. */
const maxFailures = 5;

/** Locks a run that has not ended, after its conversation and its rule; null where it has. Throws 404. */
export async function lockRun(
  ctx: Ctx,
  { id, conversation_id: conversationId, rule_id: ruleId }: Pick<RuleRunRow, 'id' | 'conversation_id' | 'rule_id'>,
): Promise<RuleRunRow | null> {
  await lockConversation(ctx, { conversationId });
  if (ruleId !== null) await holdRule(ctx, ruleId);
  return runs(ctx).findOne({ where: { id, state: ['waiting', 'parked'] }, lock: true, raw: true });
}

/** Writes what becomes of a run that is not applied now, in the transaction that judged it. */
export async function settle(
  ctx: Ctx,
  run: RuleRunRow,
  verdict: Exclude<Verdict, { readonly kind: 'apply' }>,
  now: Date,
): Promise<void> {
  const { id, rule_id: ruleId } = run;
  if (verdict.pause && ruleId !== null) await pauseRules(ctx, [ruleId], verdict.pause);
  if (verdict.kind === 'skip') {
    if (verdict.reason === 'late' && ruleId !== null) await noteLate(ctx, ruleId);
    return end(ctx, run, { state: 'skipped', reason: verdict.reason }, now);
  }
  const { at } = verdict;
  // A moment that has become later is told; a pause of ours is none.
  const moved = at !== null && at > run.moment && run.moment > now ? { moment: at } : {};
  await runs(ctx).update({ look_at: at, ...moved }, { where: { id } });
  if (verdict.isPaused && ruleId !== null) await layAside(ctx, ruleId);
}

/** Ends a run; one that was applied, with the run of its macro. */
export async function end(
  ctx: Ctx,
  run: Pick<RuleRunRow, 'id'>,
  how: Pick<RuleRunRow, 'reason'> & { readonly state: 'applied' | 'skipped'; readonly macro_run_id?: number },
  now: Date,
): Promise<void> {
  await runs(ctx).update({ ...how, look_at: null, ended_at: now }, { where: { id: run.id } });
}

/** Opens the run of a rule's macro, as one that is applied at once or was refused, and has its workflow show it. */
export async function openMacroRun(
  ctx: Ctx,
  run: RuleRunRow,
  { rule, macro, actions, ctx: acting }: Act,
  { state, shownAfterMs }: { readonly state: 'applied' | 'pending'; readonly shownAfterMs: number },
): Promise<RunRecord> {
  const target = { conversationId: run.conversation_id, ticketId: null };
  const opened = await openRun(acting, macro.id, actions, target, state);
  await ctx.runtime.outbox.add(
    ctx,
    ruleMacroIntent(
      ctx.workspaceId,
      { id: opened.id, macroId: macro.id, conversationId: run.conversation_id },
      { id: rule.id, runId: run.id },
    ),
    shownAfterMs,
  );
  return opened;
}

/**
 * Fails a run that is locked, with its rule, by a code, which its conversation shows; five alike in a row pause the
 * rule. In another transaction than the one that failed, which is undone.
 */
export async function fail(ctx: Ctx, run: RuleRunRow, code: string, macroRunId = run.macro_run_id): Promise<void> {
  const reason = cut(code, 64);
  if (run.rule_id !== null) {
    const before = await runs(ctx).findAll({
      attributes: ['state', 'reason'],
      where: { rule_id: run.rule_id, state: ['applied', 'failed'] },
      order: [
        ['ended_at', 'DESC'],
        ['id', 'DESC'],
      ],
      limit: maxFailures - 1,
      raw: true,
    });
    const areAlike = before.every((one) => one.state === 'failed' && one.reason === reason);
    if (before.length === maxFailures - 1 && areAlike)
      await pauseRules(ctx, [run.rule_id], { reason: 'failing', detail: code });
  }
  await runs(ctx).update(
    { state: 'failed', reason, macro_run_id: macroRunId, look_at: null, ended_at: await dueNow(ctx.runtime) },
    { where: { id: run.id } },
  );
  await recordFailed(ctx, run, code);
}

async function recordFailed(ctx: Ctx, run: RuleRunRow, code: string): Promise<void> {
  const rule = await of(ctx, ctx.runtime.db.models.Rule).findOne({
    attributes: ['id', 'name'],
    where: { id: run.rule_id ?? 0 },
    raw: true,
  });
  await recordEvent(ctx, {
    subjectType: 'conversation',
    subjectId: run.conversation_id,
    kind: 'rule_failed',
    data: { rule: rule ?? { id: run.rule_id, name: '' }, rule_run_id: run.id, code },
  });
}
