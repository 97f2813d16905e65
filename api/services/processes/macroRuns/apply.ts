import type { MacroRunOutcome } from '../../../../workflows/contract';
import type { MacroRunRow } from '../../../../models';
import { systemCtx, type Ctx } from '../../../core/context';
import { AppError, isFinal } from '../../../core/http/errors';
import { Fault } from '../../../core/http/fields';
import { asApproved, type Frozen } from '../../../core/frozenSends';
import { of } from '../../../core/db/scoped';
import { parseActions, type Action } from '../../resources/macros/actions';
import { claimRun, failRun, recordSteps } from '../../resources/macros/runs';
import { performActions, StepFailure } from './steps';

const macroRuns = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.MacroRun);

/**
 * Applies a run: one transaction that first moves the record from pending to applied, so it happens at most once
 * however often this is called, and not at all once the caller has given up. What a step refuses undoes everything and
 * is recorded; what may pass (a deadlock, a lost connection) is thrown, for another try.
 */
export async function applyMacroRun(system: Ctx, runId: number): Promise<MacroRunOutcome> {
  const { db } = system.runtime;
  try {
    const applied = await db.transaction(async () => {
      const run = await claimRun(system, runId);
      return run && performRun(ctxOf(system, run), run);
    });
    return applied ?? (await settledOutcome(system, runId));
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    await failRun(system, runId, { ...failure.step, code: failure.reason });
    return settledOutcome(system, runId);
  }
}

/** Does what a claimed run is to do, in the surrounding transaction. Throws the refusal of a step. */
export async function performRun(
  ctx: Ctx,
  run: Pick<MacroRunRow, 'id' | 'actions' | 'conversation_id' | 'ticket_id' | 'frozen'>,
): Promise<Extract<MacroRunOutcome, { kind: 'applied' }>> {
  const actions = storedActions(run);
  const request = {
    actions,
    target: { conversationId: run.conversation_id, ticketId: run.ticket_id },
    dedupePrefix: `macro-run/${run.id}`,
  };
  const frozen = run.frozen as readonly Frozen[] | null;
  const ran = frozen
    ? await asApproved(ctx, frozen, (approved) => performActions(approved, request))
    : await performActions(ctx, request);
  await recordSteps(ctx, run.id, {
    on: run.ticket_id === null ? 'conversation' : 'ticket',
    ran,
    types: actions.map(({ type }) => type),
  });
  return { kind: 'applied', steps: actions.length };
}

/** Returns the context in which the run's caller would act. */
function ctxOf({ runtime, workspaceId }: Ctx, run: MacroRunRow): Ctx {
  const ctx = systemCtx(runtime, workspaceId, run.request_id ?? `macro-run/${run.id}`, {
    type: run.actor_type,
    memberId: run.actor_member_id,
    apiKeyId: run.api_key_id,
    ...(run.oauth_grant_id === null ? {} : { grantId: run.oauth_grant_id }),
    approvedBy: run.approved_by_member_id,
  });
  return run.autonomy === null ? ctx : { ...ctx, autonomy: run.autonomy };
}

function storedActions(run: Pick<MacroRunRow, 'actions'>): readonly Action[] {
  const actions = parseActions(run.actions);
  if (actions instanceof Fault) throw new AppError('validation', actions.messages.join(' '));
  return actions;
}

/** Returns the step that was refused and why; a refusal before any step counts as the first one's. */
export function failureOf(error: unknown): Pick<StepFailure, 'step' | 'reason'> | null {
  if (error instanceof StepFailure) return error;
  if (!isFinal(error)) return null;
  return { step: { index: 1, type: 'start', why: error.why }, reason: error.publicCode };
}

/** Returns what this or an earlier try, or the caller who gave up, has made of the run. */
export async function settledOutcome(ctx: Ctx, runId: number): Promise<MacroRunOutcome> {
  const row = await macroRuns(ctx).findOne({
    attributes: ['state', 'failed_step', 'actions'],
    where: { id: runId },
    raw: true,
  });
  const steps = Array.isArray(row?.actions) ? row.actions.length : 0;
  if (row?.state === 'applied') return { kind: 'applied', steps };
  if (row?.state === 'failed' && row.failed_step) {
    const { index, type, code = 'macro_step_failed' } = row.failed_step;
    return { kind: 'failed', step: index, steps, type, code };
  }
  return { kind: 'abandoned' };
}
