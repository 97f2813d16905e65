import { macroRunStart, macroRunTimeoutMs } from '../../../workflows/contract';
import type { Ctx } from '../../core/context';
import { AppError, invalid, invalidField, invalidPk } from '../../core/errors';
import { Fault } from '../../core/fields';
import type { Page } from '../../core/operations';
import type { PagingInput } from '../../core/paging';
import { contactIdsOf } from '../contacts/handles';
import { macroSends, parseActions, type Action } from '../macros/actions';
import { findMacro } from '../macros/service';
import {
  abandonRun,
  listRuns as listRunRecords,
  openRun,
  readRun,
  type MacroTarget,
  type RunRecord,
  type RunView,
} from '../macros/runs';
import { performActions, requireActionScopes, StepFailure, type RanStep } from './steps';

/** How long a caller waits for the engine and a worker (contract C10). */
const waitMs = 10_000;
const retryPauseMs = 200;

export interface RunInput {
  readonly chat_id?: number | null | undefined;
  readonly receiver_id?: string | null | undefined;
  readonly ticket_id?: number | null | undefined;
}

/**
 * Runs a macro and waits for what becomes of it. Throws 400 (`failed_step`) when a step is refused, 403 when a step's
 * scope is missing, and 503 when nobody could apply it in time: then it never will be (specification 4.1.3, contract C10).
 */
export async function runMacro(ctx: Ctx, macroId: number, input: RunInput): Promise<{ ran: readonly RanStep[] }> {
  const { actions, target } = await planRun(ctx, macroId, input);
  const run = await openRun(ctx, macroId, actions, target);
  return answerOf(run.state === 'pending' ? await waitFor(ctx, macroId, run) : run);
}

class Rehearsed extends Error {}

/** Does everything that a run would do and undoes it: throws what the run would answer. Tells whether the macro sends. */
export async function rehearseMacro(ctx: Ctx, macroId: number, input: RunInput): Promise<{ readonly sends: boolean }> {
  const { actions, target } = await planRun(ctx, macroId, input);
  try {
    // A savepoint: where a transaction is open already, joining it would keep what was rehearsed.
    await ctx.runtime.db.savepoint(async () => {
      await performActions(ctx, { actions, target, dedupePrefix: `rehearsal/${ctx.requestId}` });
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
  return { sends: macroSends({ actions }) };
}

/** The checked actions of a macro and what they are to be done to; scopes come before anything else. */
async function planRun(
  ctx: Ctx,
  macroId: number,
  input: RunInput,
): Promise<{ actions: readonly Action[]; target: MacroTarget }> {
  const macro = await findMacro(ctx, macroId);
  const chatId = await chatOf(ctx, input);
  const ticketId = input.ticket_id ?? null;
  if ((chatId === null) === (ticketId === null))
    throw invalid({ non_field_errors: ['Give exactly one of chat_id and ticket_id.'] });
  const actions = parseActions(macro.actions);
  if (actions instanceof Fault)
    throw invalid({
      non_field_errors: actions.messages.map((message) => `This macro cannot be run any more. ${message}`),
    });
  requireActionScopes(ctx, actions, ticketId === null ? 'chat' : 'ticket');
  return { actions, target: await findTarget(ctx, chatId, ticketId) };
}

/** Runs of a macro, newest first. Throws 404. */
export async function listRuns(ctx: Ctx, macroId: number, paging: PagingInput): Promise<Page<RunView>> {
  await findMacro(ctx, macroId);
  return listRunRecords(ctx, macroId, paging);
}

/** The id of the conversation that a run names by `chat_id` or by `receiver_id`; null where it names none. */
async function chatOf(ctx: Ctx, input: RunInput): Promise<number | null> {
  const handle = input.receiver_id;
  if (!handle) return input.chat_id ?? null;
  const id = (await contactIdsOf(ctx, [handle])).get(handle);
  if (id === undefined) throw invalidPk('receiver_id', handle);
  if (input.chat_id && input.chat_id !== id)
    throw invalidField('receiver_id', 'chat_id and receiver_id name different conversations. Send one of them.');
  return id;
}

/** The conversation or ticket by its id; a conversation that was merged into another still answers to its old one. */
async function findTarget(ctx: Ctx, chatId: number | null, ticketId: number | null): Promise<MacroTarget> {
  const { db } = ctx.runtime;
  if (chatId !== null) {
    const row = await db.row<{ id: number }>(
      `SELECT id FROM conversations WHERE workspace_id = $workspaceId AND id = $chatId
       UNION ALL SELECT v.id FROM contact_aliases a JOIN conversations v ON v.contact_id = a.contact_id
         WHERE a.workspace_id = $workspaceId AND a.kind = 'id' AND a.value = $chatId::text LIMIT 1`,
      { workspaceId: ctx.workspaceId, chatId },
    );
    if (!row) throw invalidPk('chat_id', chatId);
    return { conversationId: row.id, ticketId: null };
  }
  const row = await db.row<{ id: number }>(
    'SELECT id FROM tickets WHERE workspace_id = $workspaceId AND id = $ticketId',
    { workspaceId: ctx.workspaceId, ticketId },
  );
  if (!row) throw invalidPk('ticket_id', ticketId);
  return { conversationId: null, ticketId: row.id };
}

/**
 * Starts the run's workflow and waits for its end. The record alone says what happened: the engine only tells when to
 * look, and where it cannot (it is away, or went away meanwhile) the record is looked at now and then.
 */
async function waitFor(ctx: Ctx, macroId: number, run: RunRecord): Promise<RunRecord> {
  const { engine, logger } = ctx.runtime;
  const start = {
    ...macroRunStart(ctx.workspaceId, run.id, {
      macroId,
      conversationId: run.conversation_id,
      ticketId: run.ticket_id,
    }),
    workflow: 'macroRun' as const,
  };
  const deadline = Date.now() + waitMs;
  let started = false;
  while (Date.now() < deadline) {
    try {
      if (!started)
        await engine.start(
          start,
          { workspaceId: ctx.workspaceId, runId: run.id },
          { executionTimeoutMs: macroRunTimeoutMs },
        );
      started = true;
      await engine.awaitEnd(start.id, Math.max(1, deadline - Date.now()));
    } catch (error) {
      logger.debug(
        { runId: run.id, reason: error instanceof Error ? error.message : String(error) },
        'the engine does not tell of a macro run',
      );
    }
    const now = await readRun(ctx, run.id);
    if (!now || now.state !== 'pending') return now ?? { ...run, state: 'abandoned' };
    await new Promise((resolve) => setTimeout(resolve, Math.min(retryPauseMs, Math.max(0, deadline - Date.now()))));
  }
  // Waits for a transaction that is applying it at this moment: whichever came first wins.
  return (await abandonRun(ctx, run.id)) ?? { ...run, state: 'abandoned' };
}

function answerOf(run: RunRecord): { ran: readonly RanStep[] } {
  if (run.state === 'applied') return { ran: run.ran ?? [] };
  if (run.failed_step) throw new StepFailure(run.failed_step);
  throw new AppError('unavailable', 'The macro could not be run in time. Nothing was applied.', { retryAfter: 5 });
}
