import { isPlainObject } from '../../../core/http/fields';
import { accountHandlers } from './accounts';
import { receiveCall } from './calls';
import { receiveSyncedContact, receiveThread } from './coexistence';
import { receiveEcho, receiveHandover } from './otherApps';
import { flowHandlers } from './flows';
import { receiveMessage } from './messages';
import { receivePreferences } from './preferences';
import { UnusableEvent } from './read';
import type { Handler } from './lookups';
import { receiveSameLine } from './sameLine';
import { receiveStatus } from './statuses';
import { templateHandlers } from './templates';

/** The handler of each kind of event (upstream 2.6 to 2.9); other kinds are kept, counted and shown (`ignored.ts`). */
const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['message', receiveMessage],
  ['status', receiveStatus],
  ['user_preferences', receivePreferences],
  ...templateHandlers,
  ...flowHandlers,
  ...accountHandlers,
  ['echo', receiveEcho],
  ['messaging_handovers', receiveHandover],
  ['call', receiveCall],
  ['thread', receiveThread],
  ['synced_contact', receiveSyncedContact],
  ['same_line', receiveSameLine],
]);

/** The property of a payload that holds the event, by kind; for other kinds it is the whole value of the change. */
const keys: Readonly<Record<string, string>> = {
  message: 'message',
  status: 'status',
  echo: 'message',
  call: 'call',
  thread: 'thread',
  synced_contact: 'sync',
};

/** Returns the function that processes events of a kind in the surrounding transaction; null for an unknown kind. */
export function handlerOf(kind: string): Handler | null {
  const handler = handlers.get(kind);
  if (!handler) return null;
  const key = keys[kind] ?? 'value';
  return async (ctx, event, known) => {
    if (!isPlainObject(event.payload[key])) throw new UnusableEvent(`the ${key} is not an object`);
    await handler(ctx, event, known);
  };
}
