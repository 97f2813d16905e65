import type { Ctx } from '../../../core/context';
import { AppError, isFinal, missingScope, type PublicCode } from '../../../core/http/errors';
import type { Message } from '../../../core/http/reasons';
import { ChangedSince } from '../../../core/frozenSends';
import { reason as refusal } from '../../resources/reasons';
import { isSend, scopeOf, type Action, type TargetKind } from '../../resources/macros/actions';
import { performOnConversation, performSend } from './conversationSteps';
import type { MacroTarget } from '../../resources/macros/runs';
import { performOnTicket } from './ticketSteps';
import { askSatisfaction } from '../satisfaction/service';
import { openSubjects, ticketTakes, type Subjects } from './subjects';

/** What one step did. */
export interface RanStep {
  readonly type: string;
  readonly detail: string;
}

/** Which step was refused and why; `index` counts from 1 (contract 10). */
interface FailedStep {
  readonly index: number;
  readonly type: string;
  readonly why: Message;
}

/** The 400 of a refused step. */
export class StepFailure extends AppError {
  constructor(
    readonly step: FailedStep,
    /** Why the step was refused, as a code for programs. */
    readonly reason: PublicCode = 'macro_step_failed',
  ) {
    const { index, type, why } = step;
    const failed = refusal('stepFailed', { index, type, why });
    super('validation', failed, {
      body: { error: String(failed), failed_step: { index, type, message: String(why) } },
      publicCode: 'macro_step_failed',
    });
    this.name = 'StepFailure';
  }
}

/** Throws the 403 that names scope and step unless every step's scope is there (contract 10.2, 10.1). */
export function requireActionScopes(ctx: Pick<Ctx, 'scopes'>, actions: readonly Action[], on: TargetKind): void {
  for (const [index, { type }] of actions.entries()) {
    const scope = scopeOf(type, on);
    if (ctx.scopes.has(scope)) continue;
    throw missingScope(scope, `needed by step ${index + 1} (${type})`);
  }
}

interface ActionsRequest {
  readonly actions: readonly Action[];
  readonly target: MacroTarget;
  /** Begins the dedupe keys of what is sent: no message is ever stored twice for one step of one run. */
  readonly dedupePrefix: string;
}

/**
 * Applies actions in the surrounding transaction: the changes in their order, then what is sent, in its order
 * (contract 10.2), and last the question to the customer whose conversation they resolve. Throws the StepFailure of the
 * first step that is refused; the transaction must then be undone.
 */
export async function performActions(ctx: Ctx, request: ActionsRequest): Promise<RanStep[]> {
  const { actions } = request;
  const subjects = await openSubjects(ctx, request);
  const ran: (RanStep | undefined)[] = actions.map(() => undefined);
  const numbered = [...actions.entries()];
  const sendsLast = [
    ...numbered.filter(([, action]) => !isSend(action)),
    ...numbered.filter(([, action]) => isSend(action)),
  ];
  for (const [index, action] of sendsLast) {
    try {
      ran[index] = {
        type: action.type,
        detail: await perform(ctx, subjects, action, `${request.dedupePrefix}/${index + 1}`),
      };
    } catch (error) {
      throw asStepFailure(error, index + 1, action.type);
    }
  }
  const { isResolved, conversationId } = subjects;
  if (isResolved && conversationId !== null) await askSatisfaction(ctx, conversationId);
  return ran.filter((step) => step !== undefined);
}

async function perform(ctx: Ctx, subjects: Subjects, action: Action, dedupeKey: string): Promise<string> {
  if (isSend(action)) return performSend(ctx, subjects, action, dedupeKey);
  if (!ticketTakes(subjects, action.type)) return performOnConversation(ctx, subjects, action);
  // What was read at the beginning may not hold any more.
  subjects.opened = undefined;
  return performOnTicket(ctx, subjects, action);
}

/**
 * Returns a refusal that names its step; an error that may not occur on another try (a busy pool, a lost connection) is
 * returned unchanged.
 */
function asStepFailure(error: unknown, index: number, type: string): unknown {
  if (!isFinal(error) || error instanceof ChangedSince) return error;
  return new StepFailure({ index, type, why: error.why }, error.publicCode);
}
