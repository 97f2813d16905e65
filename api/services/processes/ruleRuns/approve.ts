import type { ApprovalRow } from '../../../../models';
import { dueNow } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { ChangedSince, type Frozen } from '../../../core/frozenSends';
import { conflict } from '../../../core/http/errors';
import type { RunRecord } from '../../resources/macros/runs';
import { openApprovedRun } from '../macroRuns/service';
import { judge, readSubject } from './judge';
import { lockRun } from './settle';
import { reason } from '../../resources/reasons';

const runs = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.RuleRun);
const runIdOf = ({ input }: Pick<ApprovalRow, 'input'>): number => Number(input['rule_run_id'] ?? 0);

/**
 * Opens the run of a rule's macro that a member approves, in the surrounding transaction: what the rule waited for, and
 * its conditions, are judged once more. Throws 409 where it would not act any more, or may not now.
 */
export async function openApprovedRule(
  ctx: Ctx,
  approval: Pick<ApprovalRow, 'input' | 'steps' | 'frozen'>,
): Promise<{ readonly agentCtx: Ctx; readonly run: RunRecord }> {
  const where = { id: runIdOf(approval), state: 'parked' as const };
  const parked = await runs(ctx).findOne({ where, raw: true });
  const run = parked && (await lockRun(ctx, parked));
  const subject = run && (await readSubject(ctx, run.conversation_id));
  if (!run || !subject) throw new ChangedSince();
  const verdict = await judge(ctx, run, subject, { approved: true });
  if (verdict.kind === 'later') throw conflict(reason('mayNotActNow'));
  if (verdict.kind === 'skip') throw new ChangedSince();
  const { ctx: acting, macro } = verdict.act;
  const agentCtx: Ctx = { ...acting, actor: { ...acting.actor, approvedBy: ctx.actor.memberId } };
  const opened = await openApprovedRun(
    agentCtx,
    macro.id,
    { chat_id: run.conversation_id },
    { steps: approval.steps, frozen: approval.frozen as readonly Frozen[] },
  );
  await runs(ctx).update({ macro_run_id: opened.id }, { where: { id: run.id } });
  return { agentCtx, run: opened };
}

/** Ends what a rule had parked: it was rejected, or not decided in time, or would not do any more what was shown. */
export async function endParked(
  ctx: Ctx,
  approval: Pick<ApprovalRow, 'connection_kind' | 'input'>,
  reason: 'rejected' | 'expired',
): Promise<void> {
  if (approval.connection_kind !== 'rule') return;
  await runs(ctx).update(
    { state: 'ended', reason, ended_at: await dueNow(ctx.runtime) },
    { where: { id: runIdOf(approval), state: 'parked' } },
  );
}
