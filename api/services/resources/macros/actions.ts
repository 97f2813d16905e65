import { cut } from '../../../core/text/cut';
import type { Scope } from '../../../core/http/access';
import { AppError } from '../../../core/http/errors';
import { Fault, isPlainObject, notAccepted, printable } from '../../../core/http/fields';
import { paramReaders } from './params';
import { reason } from '../reasons';
import { after, type Message } from '../../../core/http/reasons';

export type ActionType = keyof typeof paramReaders;

/** Everything that a macro can do (contract 10). */
export const actionTypes = Object.keys(paramReaders) as ActionType[];

/** A step of one type, with its parameters read. */
interface ActionOf<T extends ActionType> {
  readonly type: T;
  readonly params: Readonly<ReturnType<(typeof paramReaders)[T]>>;
}

/** One step: its type decides what its parameters are. */
export type Action = { readonly [T in ActionType]: ActionOf<T> }[ActionType];

/** A step that sends. */
export type SendAction = Extract<Action, { readonly type: 'send_message' | 'send_template' }>;
/** A step that changes a list of tags. */
export type TagAction = Extract<Action, { readonly type: 'add_tags' | 'remove_tags' }>;

/** What a macro is run on. */
export type TargetKind = 'chat' | 'ticket';

/** Most steps of one macro: they share one transaction, which holds its rows all the while. */
export const maxActions = 50;

/** Reads actions, stored ones by the same rules as written ones. Every message begins with the number of its step. */
export function parseActions(raw: unknown): readonly Action[] | Fault {
  if (!Array.isArray(raw)) return new Fault(reason('noActions'));
  if (raw.length === 0) return new Fault(reason('emptyList'));
  if (raw.length > maxActions) return new Fault(reason('tooMany', { max: maxActions }));
  const actions: Action[] = [];
  const faults: Message[] = [];
  for (const [index, item] of raw.entries()) {
    const action = parseAction(item);
    if (action instanceof Fault) faults.push(...action.reasons.map((one) => after(`${index + 1}: `, one)));
    else actions.push(action);
  }
  return faults.length > 0 ? new Fault(...faults.slice(0, 40)) : actions;
}

function parseAction(raw: unknown): Action | Fault {
  if (!isPlainObject(raw)) return new Fault(reason('noAction'));
  const type = actionTypes.find((candidate) => candidate === raw['type']);
  if (!type) return new Fault(after('type: ', reason('noChoice', { value: printable(raw['type']) })));
  const extra = Object.keys(raw).filter((key) => key !== 'type' && key !== 'params');
  if (extra.length > 0)
    return new Fault(...extra.slice(0, 20).map((key) => after(`${type}: ${cut(key, 100)}: `, notAccepted)));
  const params = raw['params'] ?? {};
  if (!isPlainObject(params)) return new Fault(after(`${type}: `, reason('noParams')));
  try {
    // They fit each other, which the compiler cannot follow over a union.
    return { type, params: paramReaders[type](params) } as Action;
  } catch (error) {
    if (error instanceof AppError && error.fields)
      return new Fault(
        ...Object.entries(error.fields).flatMap(([key, messages]) =>
          messages.map((message) => after(`${type}: ${key === 'non_field_errors' ? '' : `${key}: `}`, message)),
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

/** Returns whether conversations and tickets share the step: on a ticket run it changes the ticket (contract 10). */
export function isShared(type: ActionType): boolean {
  return shared.has(type);
}

/** Returns whether the step is about a ticket. */
export function isAboutTickets(type: ActionType): boolean {
  return ticketOnly.has(type);
}

/** Returns whether the step sends. */
export function isSend(action: Action): action is SendAction {
  return sends.has(action.type);
}

/** Returns whether the step reaches a customer: it sends, or its stage may tell them. */
export function reachesCustomer({ type }: Pick<Action, 'type'>): boolean {
  return sends.has(type) || type === 'move_stage';
}

/** Returns the scope of the endpoint that does the same (contract 10). */
export function scopeOf(type: ActionType, on: TargetKind): Scope {
  if (ticketOnly.has(type) || (on === 'ticket' && shared.has(type))) return 'ticket.manage';
  if (sends.has(type)) return 'chat.send_message';
  return type === 'set_custom_fields' || type === 'update_contact' ? 'contact.edit' : 'chat.assign';
}
