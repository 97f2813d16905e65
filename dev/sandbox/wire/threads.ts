import type { Context } from '../context';
import type { Account, JsonObject, PhoneNumber, Reply } from '../types';
import { isObject, textOf } from '../util';
import { missing } from './checks';
import { GraphError } from './errors';
import { readRecipient, userFor } from './recipient';

/** Answers `POST /{phone_number_id}/thread_control`: takes a thread from the platform's agent, or gives it back. */
export function controlThread(context: Context, account: Account, phone: PhoneNumber, input: unknown): Reply {
  const body: JsonObject = isObject(input) ? input : {};
  const action = textOf(body['action']);
  if (!action) throw missing('action');
  if (!['take', 'release', 'pass'].includes(action))
    throw new GraphError(100, 'Param action must be one of take, release, pass.');
  const user = userFor(context, account, readRecipient(context, account, phone, body));
  user.agent = action !== 'take';
  context.changed();
  return { status: 200, body: { success: true }, outcome: action };
}
