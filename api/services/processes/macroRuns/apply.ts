import type { MacroRunInput, MacroRunOutcome } from '../../../../workflows/contract';
import type { MacroRunRow } from '../../../../models';
import { systemCtx, type Ctx } from '../../../core/context';
import { AppError } from '../../../core/errors';
import { recordEvent } from '../../../core/events';
import { Fault } from '../../../core/fields';
import type { Runtime } from '../../../core/runtime';
import { parseActions, type Action } from '../../resources/macros/actions';
import { performActions, StepFailure, type FailedStep } from './steps';

type Run = Pick<
  MacroRunRow,
  | 'id'
  | 'macro_id'
  | 'actions'
  | 'conversation_id'
  | 'ticket_id'
  | 'actor_type'
  | 'actor_member_id'
  | 'api_key_id'
  | 'request_id'
  | 'autonomy'
>;

/**
 * Applies a run: one transaction that first moves the record from pending to applied, so it happens at most once
 * however often this is called, and not at all once the caller has given up. What a step refuses undoes everything and
 * is recorded; what may pass (a deadlock, a lost connection) is thrown, for another try.
 */
export async function applyMacroRun(runtime: Runtime, input: MacroRunInput): Promise<MacroRunOutcome> {
  const { db } = runtime;
  const bind = { workspaceId: input.workspaceId, runId: input.runId };
  try {
    const applied = await db.transaction(async () => {
      const run = await db.row<Run>(
        `UPDATE macro_runs SET state = 'applied', ran = '[]', finished_at = now() WHERE workspace_id = $workspaceId AND id = $runId AND state = 'pending'
         RETURNING id, macro_id, actions, conversation_id, ticket_id, actor_type, actor_member_id, api_key_id, request_id, autonomy`,
        bind,
      );
      if (!run) return null;
      const ctx = ctxOf(runtime, input.workspaceId, run);
      const actions = storedActions(run);
      const ran = await performActions(ctx, {
        actions,
        target: { conversationId: run.conversation_id, ticketId: run.ticket_id },
        dedupePrefix: `macro-run/${run.id}`,
      });
      await db.rows('UPDATE macro_runs SET ran = $ran::jsonb WHERE workspace_id = $workspaceId AND id = $runId', {
        ...bind,
        ran: JSON.stringify(ran),
      });
      await recordEvent(ctx, {
        subjectType: run.ticket_id === null ? 'conversation' : 'ticket',
        subjectId: run.ticket_id ?? run.conversation_id ?? 0,
        kind: 'macro_applied',
        data: { macro_id: run.macro_id, run_id: run.id, steps: actions.map(({ type }) => type) },
      });
      return { kind: 'applied', steps: actions.length } as const;
    });
    return applied ?? (await settledOutcome(runtime, input));
  } catch (error) {
    const step = failedStepOf(error);
    if (!step) throw error;
    const marked = await db.row<{ steps: number }>(
      `UPDATE macro_runs SET state = 'failed', failed_step = $step::jsonb, finished_at = now() WHERE workspace_id = $workspaceId AND id = $runId AND state = 'pending'
       RETURNING jsonb_array_length(actions) AS steps`,
      { ...bind, step: JSON.stringify(step) },
    );
    return marked
      ? { kind: 'failed', step: step.index, steps: marked.steps, type: step.type }
      : settledOutcome(runtime, input);
  }
}

function ctxOf(runtime: Runtime, workspaceId: number, run: Run): Ctx {
  const ctx = systemCtx(runtime, workspaceId, run.request_id ?? `macro-run/${run.id}`, {
    type: run.actor_type,
    memberId: run.actor_member_id,
    apiKeyId: run.api_key_id,
  });
  return run.autonomy === null ? ctx : { ...ctx, autonomy: run.autonomy };
}

function storedActions(run: Run): readonly Action[] {
  const actions = parseActions(run.actions);
  if (actions instanceof Fault) throw new AppError('validation', actions.messages.join(' '));
  return actions;
}

/** The step that was refused; a refusal before any step counts as the first one's. */
function failedStepOf(error: unknown): FailedStep | null {
  if (error instanceof StepFailure) return error.step;
  if (!(error instanceof AppError) || error.code === 'unavailable' || error.code === 'throttled') return null;
  return { index: 1, type: 'start', message: error.message };
}

/** What an earlier try, or the caller who gave up, has made of the run. */
async function settledOutcome(runtime: Runtime, input: MacroRunInput): Promise<MacroRunOutcome> {
  const row = await runtime.db.row<{ state: MacroRunRow['state']; failed_step: FailedStep | null; steps: number }>(
    'SELECT state, failed_step, jsonb_array_length(actions) AS steps FROM macro_runs WHERE workspace_id = $workspaceId AND id = $runId',
    { workspaceId: input.workspaceId, runId: input.runId },
  );
  if (row?.state === 'applied') return { kind: 'applied', steps: row.steps };
  if (row?.state === 'failed' && row.failed_step)
    return { kind: 'failed', step: row.failed_step.index, steps: row.steps, type: row.failed_step.type };
  return { kind: 'abandoned' };
}
