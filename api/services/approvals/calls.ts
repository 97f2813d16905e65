import { requireScope } from '../../core/access';
import type { Ctx } from '../../core/context';
import { rehearseMacro, runMacro, type RunInput } from '../macroRuns/service';
import { createMessage, type MessageInput } from '../messages/service';

/** An agent's call in the terms of the service that does it. */
export interface ParkedCall {
  readonly kind: 'message' | 'macro';
  readonly input: Record<string, unknown>;
}

/**
 * Does a call for an agent, with all checks of the operation that it wraps. `key` makes it happen at most once. A
 * message joins the surrounding transaction; a macro must not be in one, because its workflow has to see its record.
 */
export async function makeCall(ctx: Ctx, call: ParkedCall, key: string | null): Promise<unknown> {
  if (call.kind === 'macro')
    return runMacro(
      { ...ctx, ...(key === null ? {} : { idempotencyKey: key }) },
      macroId(call),
      call.input as RunInput,
    );
  requireScope(ctx, 'chat.send_message');
  return createMessage(ctx, call.input as MessageInput & Record<string, unknown>, {
    origin: 'agent',
    ...(key === null ? {} : { dedupeKey: key }),
  });
}

class Rehearsed extends Error {}

/**
 * Runs everything that a call would check and undoes it: throws what the call would throw, changes nothing. Tells
 * whether the call sends anything: a macro may not.
 */
export async function rehearse(ctx: Ctx, call: ParkedCall): Promise<{ readonly sends: boolean }> {
  if (call.kind === 'macro') {
    requireScope(ctx, 'macro.view');
    return rehearseMacro(ctx, macroId(call), call.input as RunInput);
  }
  try {
    await ctx.runtime.db.savepoint(async () => {
      await makeCall(ctx, call, null);
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
  return { sends: true };
}

function macroId(call: ParkedCall): number {
  return Number(call.input['id']);
}
