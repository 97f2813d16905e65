import { requireScope } from '../../../core/access';
import { rehearsed } from '../../../core/autonomy';
import type { Ctx } from '../../../core/context';
import { invalid } from '../../../core/errors';
import { isPlainObject, runSchema } from '../../../core/fields';
import type { Action } from '../../resources/macros/actions';
import { rehearseMacro, type RunInput } from '../macroRuns/service';
import { createMessage, type MessageInput } from '../outbound/service';
import { updateTicketInput, type TicketPatch } from '../../resources/tickets/schema';
import { serializeTicket } from '../../resources/tickets/serializer';
import { updateTicket } from '../../resources/tickets/service';

/** An agent's call in the terms of the service that does it. */
export interface ParkedCall {
  readonly kind: 'message' | 'macro' | 'ticket';
  readonly input: Record<string, unknown>;
}

/** What a rehearsal found out. */
export interface Rehearsal {
  /** Whether the call makes a customer hear something. */
  readonly sends: boolean;
  /** A macro as it would be run now. */
  readonly macro?: { readonly name: string; readonly steps: readonly Action[] };
  /** A message as it would be stored now. */
  readonly message?: Record<string, unknown>;
}

/** Does a call of one transaction, the surrounding one where there is one, with all checks of the operation that it wraps. */
export async function makeCall(
  ctx: Ctx,
  call: ParkedCall & { readonly kind: 'message' | 'ticket' },
  dedupeKey?: string,
): Promise<unknown> {
  if (call.kind === 'ticket') {
    requireScope(ctx, 'ticket.manage');
    return serializeTicket(await updateTicket(ctx, idOf(call), readPatch(call.input)));
  }
  requireScope(ctx, 'chat.send_message');
  return createMessage(ctx, call.input as MessageInput & Record<string, unknown>, {
    origin: 'agent',
    ...(dedupeKey === undefined ? {} : { dedupeKey }),
  });
}

/** Runs everything that a call would check and undoes it: throws what the call would throw, changes nothing. */
export async function rehearse(ctx: Ctx, call: ParkedCall): Promise<Rehearsal> {
  const { kind, input } = call;
  if (kind !== 'macro') {
    let made: unknown = null;
    const sends = await rehearsed(ctx, async (rehearsing) => (made = await makeCall(rehearsing, { kind, input })));
    return { sends, ...(kind === 'message' && isPlainObject(made) ? { message: made } : {}) };
  }
  requireScope(ctx, 'macro.view');
  const { sends, ...macro } = await rehearseMacro(ctx, idOf(call), input as RunInput);
  return { sends, macro };
}

/** The object that a call names. */
export function idOf(call: ParkedCall): number {
  return Number(call.input['id']);
}

/** A patch that was kept as JSON, read again by the rules of its input: dates are dates again. */
function readPatch(kept: Record<string, unknown>): TicketPatch {
  const result = runSchema(updateTicketInput, JSON.parse(JSON.stringify(kept)) as Record<string, unknown>);
  if ('errors' in result) throw invalid(result.errors);
  return result.value;
}
