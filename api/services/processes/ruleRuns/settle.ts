import type { RuleRunRow } from '../../../../models';
import { ruleMacroIntent } from '../../../../workflows/starts';
import { cut } from '../../../core/text/cut';
import { dueNow } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { recordEvent } from '../../../core/queue/events';
import { openRun } from '../../resources/macros/runs';
import { noteLate, pauseRules } from '../../resources/rules/pausing';
import type { Act, Verdict } from './judge';

const runs = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.RuleRun);

/** How long a macro may take before the run is looked at again: its workflow was lost, or gave up. */
const applyWithinMs = 60_000;
/** So many failures of one kind in a row, and nothing else between them, pause a rule. */
const maxFailures = 5;

/** Writes what becomes of a run that is not applied now, in the transaction that judged it. */
export async function settle(
  ctx: Ctx,
  run: RuleRunRow,
  verdict: Exclude<Verdict, { readonly kind: 'apply' }>,
  now: Date,
): Promise<void> {
  if (verdict.kind === 'later') {
    const { at } = verdict;
    // A moment that has become later is told; a pause of ours is none.
    const moved = at !== null && at > run.moment && run.moment > now ? { moment: at } : {};
    await runs(ctx).update({ look_at: at, macro_run_id: null, ...moved }, { where: { id: run.id } });
  } else {
    // The rule before its run, as a change of the rule has them.
    if (verdict.reason === 'late' && run.rule_id !== null) await noteLate(ctx, run.rule_id);
    await end(ctx, run, { state: 'skipped', reason: verdict.reason }, now);
  }
  if (verdict.pause && run.rule_id !== null) await pauseRules(ctx, [run.rule_id], verdict.pause);
}

/** Ends a run. */
export async function end(
  ctx: Ctx,
  run: Pick<RuleRunRow, 'id'>,
  { state, reason }: { readonly state: 'applied' | 'ended' | 'failed' | 'skipped'; readonly reason: string | null },
  now: Date,
): Promise<void> {
  await runs(ctx).update({ state, reason, look_at: null, ended_at: now }, { where: { id: run.id } });
}

/** Opens the run of a rule's macro, whose workflow judges it once more and applies it. */
export async function openMacroRun(ctx: Ctx, run: RuleRunRow, act: Act, now: Date): Promise<void> {
  const { rule, macro, actions } = act;
  const target = { conversationId: run.conversation_id, ticketId: null };
  const opened = await openRun(act.ctx, macro.id, actions, target);
  await ctx.runtime.outbox.add(
    ctx,
    ruleMacroIntent(
      ctx.workspaceId,
      { id: opened.id, macroId: macro.id, conversationId: run.conversation_id },
      { id: rule.id, runId: run.id },
    ),
  );
  await runs(ctx).update(
    { macro_run_id: opened.id, look_at: new Date(now.getTime() + applyWithinMs) },
    { where: { id: run.id } },
  );
}

/**
 * Fails a run with a code, which its conversation shows; five alike in a row pause the rule. In a transaction of its
 * own: the one that failed is undone.
 */
export async function fail(ctx: Ctx, run: RuleRunRow, code: string): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    const [failed] = await runs(ctx).update(
      { state: 'failed', reason: cut(code, 64), look_at: null, ended_at: await dueNow(ctx.runtime) },
      { where: { id: run.id, state: ['waiting', 'parked'] } },
    );
    if (failed === 0) return;
    await recordFailed(ctx, run, code);
    if (run.rule_id === null) return;
    const last = await runs(ctx).findAll({
      attributes: ['state', 'reason'],
      where: { rule_id: run.rule_id, state: ['applied', 'failed'] },
      order: [
        ['ended_at', 'DESC'],
        ['id', 'DESC'],
      ],
      limit: maxFailures,
      raw: true,
    });
    const isAlike = last.every(({ state, reason }) => state === 'failed' && reason === cut(code, 64));
    if (last.length === maxFailures && isAlike)
      await pauseRules(ctx, [run.rule_id], { reason: 'failing', detail: code });
  });
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
