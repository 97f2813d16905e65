import type { Ctx } from '../../../core/context';
import { isPlainObject } from '../../../core/fields';
import { accountHandlers } from './accounts';
import { flowHandlers } from './flows';
import { receiveMessage } from './messages';
import { receivePreferences } from './preferences';
import { UnusableEvent } from './read';
import type { StoredEvent } from './service';
import { receiveStatus } from './statuses';
import type { Surroundings } from './surroundings';
import { templateHandlers } from './templates';

/** Processes one stored event in the surrounding transaction; running it again changes nothing. */
export type Handler = (ctx: Ctx, event: StoredEvent, known: Surroundings) => Promise<void>;

/**
 * What is done with each kind of event (upstream 2.6 to 2.9); a kind that is not here is kept and ignored (contract 7).
 */
const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['message', receiveMessage],
  ['status', receiveStatus],
  ['user_preferences', receivePreferences],
  ...templateHandlers,
  ...flowHandlers,
  ...accountHandlers,
]);

/** Processes one stored event in the surrounding transaction. */
export async function processEvent(ctx: Ctx, event: StoredEvent, known: Surroundings): Promise<void> {
  const handler = handlers.get(event.kind);
  if (!handler) return;
  const key = event.kind === 'message' || event.kind === 'status' ? event.kind : 'value';
  if (!isPlainObject(event.payload[key])) throw new UnusableEvent(`the ${key} is not an object`);
  await handler(ctx, event, known);
}
