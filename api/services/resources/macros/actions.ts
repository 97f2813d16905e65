import type { Scope } from '../../../core/access';
import { AppError } from '../../../core/errors';
import { Fault, isPlainObject, notAccepted, printable } from '../../../core/fields';
import { paramReaders } from './params';

/** Everything that a macro can do (contract 10). */
export const actionTypes = [
  'set_status',
  'set_priority',
  'assign_member',
  'assign_inbox',
  'add_tags',
  'remove_tags',
  'set_custom_fields',
  'update_contact',
  'send_message',
  'send_template',
  'create_ticket',
  'move_stage',
  'set_outcome',
  'add_comment',
  'escalate',
] as const;
export type ActionType = (typeof actionTypes)[number];

/** One step, with its parameters read. */
export interface Action {
  readonly type: ActionType;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a macro is run on. */
export type TargetKind = 'chat' | 'ticket';

/** Most steps of one macro: they share one transaction, which holds its rows all the while. */
export const maxActions = 50;

/** Reads actions; stored ones are read by the same rules as written ones. Everything wrong is told with its step. */
export function parseActions(raw: unknown): readonly Action[] | Fault {
  if (!Array.isArray(raw)) return new Fault('Expected a list of actions.');
  if (raw.length === 0) return new Fault('This list may not be empty.');
  if (raw.length > maxActions) return new Fault(`Ensure this field has no more than ${maxActions} elements.`);
  const actions: Action[] = [];
  const faults: string[] = [];
  for (const [index, item] of raw.entries()) {
    const action = parseAction(item);
    if (action instanceof Fault) faults.push(...action.messages.map((message) => `${index + 1}: ${message}`));
    else actions.push(action);
  }
  return faults.length > 0 ? new Fault(...faults.slice(0, 40)) : actions;
}

function parseAction(raw: unknown): Action | Fault {
  if (!isPlainObject(raw)) return new Fault('Expected an object with type and params.');
  const type = actionTypes.find((candidate) => candidate === raw['type']);
  if (!type) return new Fault(`type: "${printable(raw['type'])}" is not a valid choice.`);
  const extra = Object.keys(raw).filter((key) => key !== 'type' && key !== 'params');
  if (extra.length > 0)
    return new Fault(...extra.slice(0, 20).map((key) => `${type}: ${key.slice(0, 100)}: ${notAccepted}`));
  const params = raw['params'] ?? {};
  if (!isPlainObject(params)) return new Fault(`${type}: params must be an object.`);
  try {
    return { type, params: paramReaders[type](params) };
  } catch (error) {
    if (error instanceof AppError && error.details.fields)
      return new Fault(
        ...Object.entries(error.details.fields).flatMap(([key, messages]) =>
          messages.map((message) => `${type}: ${key === 'non_field_errors' ? '' : `${key}: `}${message}`),
        ),
      );
    throw error;
  }
}

const shared: ReadonlySet<ActionType> = new Set<ActionType>([
  'set_priority',
  'assign_member',
  'assign_inbox',
  'add_tags',
  'remove_tags',
  'set_custom_fields',
]);
const ticketOnly: ReadonlySet<ActionType> = new Set<ActionType>([
  'create_ticket',
  'move_stage',
  'set_outcome',
  'add_comment',
  'escalate',
]);
const sends: ReadonlySet<ActionType> = new Set<ActionType>(['send_message', 'send_template']);

/** Whether the step is one that conversations and tickets share: on a ticket run it changes the ticket (contract 10). */
export function isShared(type: ActionType): boolean {
  return shared.has(type);
}

/** Whether the step is about a ticket. */
export function isAboutTickets(type: ActionType): boolean {
  return ticketOnly.has(type);
}

/** Whether the step sends. */
export function isSend(type: ActionType): boolean {
  return sends.has(type);
}

/** The scope of the endpoint that does the same (contract 10). */
export function scopeOf(type: ActionType, on: TargetKind): Scope {
  if (ticketOnly.has(type) || (on === 'ticket' && shared.has(type))) return 'ticket.manage';
  if (sends.has(type)) return 'chat.send_message';
  return type === 'set_custom_fields' || type === 'update_contact' ? 'contact.edit' : 'chat.assign';
}
