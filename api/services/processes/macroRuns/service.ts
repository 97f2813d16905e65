import { macroRunTimeoutMs, type MacroRunInput } from '../../../../workflows/contract';
import { macroRunStart, type WorkflowStart } from '../../../../workflows/starts';
import type { Ctx } from '../../../core/context';
import { isBound, rehearsed, requireMaySend } from '../../../core/autonomy';
import { AppError, invalid, invalidField, invalidPk } from '../../../core/http/errors';
import { reasonOf } from '../../../core/http/faults';
import { Fault, type InputOf } from '../../../core/http/fields';
import { asApproved, ChangedSince, reaches, type Frozen } from '../../../core/frozenSends';
import { canonicalJson } from '../../../core/db/idempotency';
import { backoffAfter } from '../../../core/queue/retry';
import { of } from '../../../core/db/scoped';
import { contactIdsOf } from '../../resources/contacts/handles';
import { isAboutTickets, isSend, parseActions, type Action } from '../../resources/macros/actions';
import { findMacro } from '../../resources/macros/service';
import { abandonRun, openRun, readRun, whyOf, type MacroTarget, type RunRecord } from '../../resources/macros/runs';
import type { runMacroInput } from './schema';
import { performActions, requireActionScopes, StepFailure, type RanStep } from './steps';
import { reason } from '../../resources/reasons';

/** How long a caller waits for Temporal and a worker (contract 10). */
const waitMs = 10_000;

type RunInput = InputOf<typeof runMacroInput>;

/** What a run did; `isEarlier`: an earlier request with the same Idempotency-Key had asked for it. */
interface RunAnswer {
  readonly ran: readonly RanStep[];
  readonly isEarlier: boolean;
}

/**
 * Runs a macro and waits for its result. Throws 400 (`failed_step`) when a step is refused, 403 when a step's scope is
 * missing or it would send and the credential may not, and 503 when it could not be applied in time: then it never will
 * be.
 */
export async function runMacro(ctx: Ctx, macroId: number, input: RunInput): Promise<RunAnswer> {
  const plan = await planRun(ctx, macroId, input);
  await refuseSends(ctx, plan);
  const run = await openRun(ctx, macroId, plan.actions, plan.target);
  return { ran: await finishRun(ctx, run), isEarlier: run.isEarlier };
}

/** Waits for the end of a run, and returns the steps that it did. Throws as `runMacro` does. */
export async function finishRun(ctx: Ctx, run: RunRecord): Promise<readonly RanStep[]> {
  return ranOf(run.state === 'pending' ? await waitFor(ctx, run) : run);
}

/** Throws the 403 of a macro that would send for a credential that may not. The run itself is held to it once more. */
async function refuseSends(ctx: Ctx, plan: Plan): Promise<void> {
  if (!isBound(ctx)) return;
  if (plan.actions.some(isSend)) requireMaySend(ctx);
  if (!plan.actions.some(({ type }) => type === 'move_stage')) return;
  if ((await rehearsePlan(ctx, plan)).some(reaches)) requireMaySend(ctx);
}

function rehearsePlan(ctx: Ctx, { actions, target }: Plan): Promise<readonly Frozen[]> {
  return rehearsed(ctx, (rehearsing) =>
    performActions(rehearsing, { actions, target, dedupePrefix: `rehearsal/${ctx.requestId}` }),
  );
}

/** A macro as it would be run now, and what that would send. */
interface MacroRehearsal {
  readonly frozen: readonly Frozen[];
  readonly name: string;
  readonly steps: readonly Action[];
}

/** Does everything that a run would do and undoes it: throws what the run would answer. */
export async function rehearseMacro(ctx: Ctx, macroId: number, input: RunInput): Promise<MacroRehearsal> {
  const plan = await planRun(ctx, macroId, input);
  return { frozen: await rehearsePlan(ctx, plan), name: plan.name, steps: plan.actions };
}

/** Returns whether a run would touch tickets: it is on one, or a step is about one. Throws 404. */
export async function needsTicketing(ctx: Ctx, macroId: number, input: RunInput): Promise<boolean> {
  if (input.ticket_id !== undefined && input.ticket_id !== null) return true;
  const actions = parseActions((await findMacro(ctx, macroId)).actions);
  return !(actions instanceof Fault) && actions.some(({ type }) => isAboutTickets(type));
}

/**
 * Opens the run of an approved macro in the surrounding transaction, with the steps and sends that were approved, and
 * leaves the intent to apply it: it runs also where this process dies after the commit. Throws 409 where the macro's
 * steps have changed since or it was deleted, and what the run would refuse.
 */
export async function openApprovedRun(
  ctx: Ctx,
  macroId: number,
  input: RunInput,
  approved: { readonly steps: unknown; readonly frozen: readonly Frozen[] },
): Promise<RunRecord> {
  const plan = await planRun(ctx, macroId, input).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') throw new ChangedSince();
    throw error;
  });
  if (canonicalJson(plan.actions) !== canonicalJson(approved.steps)) throw new ChangedSince();
  await asApproved(ctx, approved.frozen, (rehearsing) => rehearsePlan(rehearsing, plan));
  const run = await openRun({ ...ctx, approved: [...approved.frozen] }, macroId, plan.actions, plan.target);
  await ctx.runtime.outbox.add(ctx, { start: startOf(ctx, run), input: inputOf(ctx, run) });
  return run;
}

interface Plan {
  readonly name: string;
  readonly actions: readonly Action[];
  readonly target: MacroTarget;
}

/** Returns the checked actions of a macro and what they are to be done to; scopes come before anything else. */
async function planRun(ctx: Ctx, macroId: number, input: RunInput): Promise<Plan> {
  const macro = await findMacro(ctx, macroId);
  const chatId = await chatOf(ctx, input);
  const ticketId = input.ticket_id ?? null;
  if ((chatId === null) === (ticketId === null))
    throw invalid({ non_field_errors: ['Give exactly one of chat_id and ticket_id.'] });
  const actions = parseActions(macro.actions);
  if (actions instanceof Fault)
    throw invalid({
      non_field_errors: actions.reasons.map((why) => reason('macroTooOld', { why })),
    });
  requireActionScopes(ctx, actions, ticketId === null ? 'chat' : 'ticket');
  return { name: macro.name, actions, target: await findTarget(ctx, chatId, ticketId) };
}

/** Returns the id of the conversation that a run names by `chat_id` or `receiver_id`; null where it names none. */
async function chatOf(ctx: Ctx, input: RunInput): Promise<number | null> {
  const handle = input.receiver_id;
  if (!handle) return input.chat_id ?? null;
  const id = (await contactIdsOf(ctx, [handle])).get(handle);
  if (id === undefined) throw invalidPk('receiver_id', handle);
  if (input.chat_id && input.chat_id !== id)
    throw invalidField('receiver_id', 'chat_id and receiver_id name different conversations. Send one of them.');
  return id;
}

/** Finds the conversation or ticket by its id; a conversation that was merged still answers to its old one. */
async function findTarget(ctx: Ctx, chatId: number | null, ticketId: number | null): Promise<MacroTarget> {
  const { ContactAlias, Conversation, Ticket } = ctx.runtime.db.models;
  if (chatId !== null) {
    const isThere = (await of(ctx, Conversation).count({ where: { id: chatId } })) > 0;
    if (isThere) return { conversationId: chatId, ticketId: null };
    // The id of a contact is the id of its conversation.
    const merged = await of(ctx, ContactAlias).findOne({
      attributes: ['contact_id'],
      where: { kind: 'id', value: String(chatId) },
      raw: true,
    });
    if (!merged) throw invalidPk('chat_id', chatId);
    return { conversationId: merged.contact_id, ticketId: null };
  }
  if (ticketId === null || (await of(ctx, Ticket).count({ where: { id: ticketId } })) === 0)
    throw invalidPk('ticket_id', ticketId);
  return { conversationId: null, ticketId };
}

/**
 * Has the run applied by its workflow and waits for that one's end. The record says what happened, also where the end
 * does not come: Temporal may go away after the run was applied.
 */
async function waitFor(ctx: Ctx, run: RunRecord): Promise<RunRecord> {
  const deadline = performance.now() + waitMs;
  const input = inputOf(ctx, run);
  for (let restMs = waitMs; restMs > 0; restMs = deadline - performance.now()) {
    try {
      await ctx.runtime.temporal.run(startOf(ctx, run), input, {
        withinMs: restMs,
        executionTimeoutMs: macroRunTimeoutMs,
      });
      break;
    } catch (error) {
      const reason = reasonOf(error);
      ctx.logger.debug({ event: 'macro_run.not_awaited', runId: run.id, reason }, 'Temporal did not run a macro yet');
      if (!isPending(await known(ctx, run))) break;
      await new Promise((resolve) => setTimeout(resolve, backoffAfter(1)));
    }
  }
  const record = await known(ctx, run);
  // Giving up waits for a transaction that is applying it at this moment: whichever came first wins.
  return (isPending(record) ? await abandonRun(ctx, run.id) : record) ?? { ...run, state: 'abandoned' };
}

const isPending = (record: RunRecord | null): boolean => record?.state === 'pending';

/** Returns the record as it is now, null where it is gone; as it was while the database does not tell. */
function known(ctx: Ctx, run: RunRecord): Promise<RunRecord | null> {
  return readRun(ctx, run.id).catch(() => run);
}

function startOf(ctx: Ctx, run: RunRecord): WorkflowStart<'macroRun'> {
  return macroRunStart(ctx.workspaceId, run.id, {
    macroId: run.macro_id,
    conversationId: run.conversation_id,
    ticketId: run.ticket_id,
    ...(ctx.rule ? { ruleId: ctx.rule.id } : {}),
  });
}

function inputOf({ workspaceId, rule }: Ctx, { id: runId }: RunRecord): MacroRunInput {
  return { workspaceId, runId, ...(rule ? { ruleRunId: rule.runId } : {}) };
}

function ranOf(run: RunRecord): readonly RanStep[] {
  if (run.state === 'applied') return run.ran ?? [];
  if (run.failed_step) {
    const { index, type } = run.failed_step;
    throw new StepFailure({ index, type, why: whyOf(run.failed_step) });
  }
  throw new AppError('unavailable', reason('macroLate'), { retryAfter: 5 });
}
