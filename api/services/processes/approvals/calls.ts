import type { ApprovalRow } from '../../../../models';
import { requireScope, type Scope } from '../../../core/http/access';
import { rehearsed } from '../../../core/autonomy';
import type { Ctx } from '../../../core/context';
import { input, pk, required, type InputOf } from '../../../core/http/fields';
import { reaches, type Frozen } from '../../../core/frozenSends';
import { validate } from '../../../core/http/validate';
import { scopeOf, type Action } from '../../resources/macros/actions';
import { runMacroInput } from '../macroRuns/schema';
import { rehearseMacro } from '../macroRuns/service';
import { createMessage, type MessageInput } from '../outbound/service';
import { createMessageInput } from '../../resources/messages/schema';
import { updateTicketInput } from '../../resources/tickets/schema';
import { serializeTicket } from '../../resources/tickets/serializer';
import { updateTicket } from '../../resources/tickets/service';

/** An agent's call in the terms of the service that does it, as it is kept. */
export interface ParkedCall {
  readonly kind: ApprovalRow['call_kind'];
  readonly input: Record<string, unknown>;
}

/** A parked call, read. */
type Call =
  | { readonly kind: 'message'; readonly input: MessageInput }
  | { readonly kind: 'macro'; readonly id: number; readonly target: InputOf<typeof runMacroInput> }
  | { readonly kind: 'ticket'; readonly id: number; readonly patch: InputOf<typeof updateTicketInput> };

const named = input({ id: required(pk()) });
const addressed = createMessageInput.pick([
  'to',
  'reply_to_wamid',
  'phone_number_id',
  'msgapp_business_account_id',
  'send_at',
  'if_customer_writes',
]);

/**
 * Reads a call by the rules of its input: what was kept as JSON has its dates again. A message's content is read later.
 */
export function readParkedCall({ kind, input: given }: ParkedCall): Call {
  const kept = JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
  switch (kind) {
    case 'message':
      return { kind, input: { ...kept, ...validate(addressed, kept) } };
    case 'macro':
      return { kind, id: validate(named, kept).id, target: validate(runMacroInput, kept) };
    case 'ticket':
      return { kind, id: validate(named, kept).id, patch: validate(updateTicketInput, kept) };
  }
}

/** Returns what a member needs to decide about a parked call: to see it, and to be allowed to do it (contract 11). */
export function decidingScopes(parked: Pick<ApprovalRow, 'call_kind' | 'input' | 'steps'>): readonly Scope[] {
  if (parked.call_kind === 'message') return ['chat.view', 'chat.send_message'];
  if (parked.call_kind === 'ticket') return ['chat.view', 'ticket.manage'];
  const on = parked.input['ticket_id'] ? 'ticket' : 'chat';
  const steps = (parked.steps ?? []) as readonly Pick<Action, 'type'>[];
  return [...new Set<Scope>(['chat.view', 'macro.view', ...steps.map(({ type }) => scopeOf(type, on))])];
}

/** What a rehearsal found out. */
export interface Rehearsal {
  /** Whether the call sends anything to a customer. */
  readonly sends: boolean;
  /** The sends that it would make, and the data on which they depend. */
  readonly frozen: readonly Frozen[];
  /** A macro as it would be run now. */
  readonly macro?: { readonly name: string; readonly steps: readonly Action[] };
  /** The ticket as it would be afterwards. */
  readonly ticket?: Readonly<Record<string, unknown>>;
}

/** Makes a call that is one transaction, in the surrounding one if any, with all checks of the operation it wraps. */
export async function makeCall(ctx: Ctx, call: Exclude<Call, { kind: 'macro' }>, dedupeKey?: string): Promise<unknown> {
  if (call.kind === 'ticket') {
    requireScope(ctx, 'ticket.manage');
    return serializeTicket(await updateTicket(ctx, call.id, call.patch));
  }
  requireScope(ctx, 'chat.send_message');
  return createMessage(ctx, call.input, {
    origin: 'agent',
    ...(dedupeKey === undefined ? {} : { dedupeKey }),
  });
}

/** Runs everything that a call would check and undoes it: throws what the call would throw, changes nothing. */
export async function rehearse(ctx: Ctx, parked: ParkedCall): Promise<Rehearsal> {
  const call = readParkedCall(parked);
  if (call.kind === 'message') {
    const frozen = await rehearsed(ctx, (rehearsing) => makeCall(rehearsing, call));
    return { sends: frozen.some(reaches), frozen };
  }
  if (call.kind === 'ticket') {
    const ticket: Record<string, unknown> = {};
    const frozen = await rehearsed(ctx, async (rehearsing) => Object.assign(ticket, await makeCall(rehearsing, call)));
    return { sends: frozen.some(reaches), frozen, ticket };
  }
  requireScope(ctx, 'macro.view');
  const { frozen, ...macro } = await rehearseMacro(ctx, call.id, call.target);
  return { sends: frozen.some(reaches), frozen, macro };
}
