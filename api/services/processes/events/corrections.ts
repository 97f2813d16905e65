import type { Ctx } from '../../../core/context';
import { correctMessage } from '../../resources/messages/rows/corrections';
import type { StoredEvent } from './claim';
import { keepInstead } from './ignored';
import { objectAt, textOf, TooEarly, UnusableEvent, type Json } from './read';

/** Tries of a correction whose message has not come yet: within some seconds they are in order. */
const maxTries = 4;

/** What is read of a message that speaks of another one. */
interface Said {
  readonly message: Json;
  readonly type: string;
  readonly at: Date;
}

/** Returns whether a message only says that its author changed or deleted an earlier one. */
export const isCorrection = ({ type }: { readonly type: string }): boolean => type === 'edit' || type === 'revoke';

/**
 * Takes what the customer (`inbound`) or a person at the phone's app says about an earlier message of theirs: its new
 * content, or that it is deleted. Where that message never came, for instance because it is older than the connection,
 * the event is kept.
 */
export async function receiveCorrection(
  ctx: Ctx,
  event: StoredEvent,
  { message, type, at }: Said,
  direction: 'inbound' | 'outbound',
): Promise<void> {
  const said = objectAt(message, type);
  const wamid = textOf(said?.['original_message_id'], 256);
  if (wamid === '') throw new UnusableEvent(`the ${type} names no message`);
  const body = type === 'revoke' ? null : newBody(objectAt(said, 'message'));
  if (await correctMessage(ctx, { wamid, direction, at, body })) return;
  if (event.attempts < maxTries) throw new TooEarly(`the message of the ${type} is not here yet`);
  await keepInstead(ctx, event, type);
}

/** Returns the content that an edit brings. */
function newBody(given: Json | null): Json {
  const type = textOf(given?.['type'], 32);
  if (given?.[type] === undefined) throw new UnusableEvent('the edit has no content');
  return { type, [type]: given[type] };
}
