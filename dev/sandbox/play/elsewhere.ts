import type { Context } from '../context';
import { newWamid } from '../wire/messages';
import { contactOf, metadataOf } from '../wire/statuses';
import type { JsonObject, PhoneNumber, User } from '../types';
import { digitsOf, isObject, objectsOf, textOf, unixSeconds } from '../util';
import { accountFor, phoneFor, selectUser } from './users';

type Handler = (context: Context, input: JsonObject) => JsonObject;

/** The role of the platform's own agent in webhooks. */
const agentRole = 'meta_business_agent';

/** What happens on a number beside the product: the phone's app, the platform's agent, calls, what was said before. */
export const elsewhereHandlers: Record<string, Handler> = {
  phone_app: (context, input) => {
    const { phone, user } = partiesOf(context, input);
    const message_echoes = [written(context, phone, user, input)];
    return send(context, input, 'smb_message_echoes', { metadata: metadataOf(phone), message_echoes });
  },
  agent_writes: (context, input) => {
    const { phone, user } = partiesOf(context, input);
    const standby = { message_echoes: [written(context, phone, user, input)] };
    return send(context, input, 'standby', { metadata: metadataOf(phone), standby });
  },
  agent_takes: (context, input) => {
    const { phone, user } = partiesOf(context, input);
    user.agent = true;
    const control_taken = { new_owner_app_role: agentRole };
    return send(context, input, 'messaging_handovers', handover(context, phone, user, { control_taken }));
  },
  agent_passes: (context, input) => {
    const { phone, user } = partiesOf(context, input);
    user.agent = false;
    const control_passed = { previous_owner_app_role: agentRole };
    return send(context, input, 'messaging_handovers', handover(context, phone, user, { control_passed }));
  },
  call: (context, input) => {
    const { phone, user } = partiesOf(context, input);
    const seconds = Number(input['seconds'] ?? 0);
    const call: JsonObject = {
      id: textOf(input['id']) ?? `wacid.${newWamid(context, user.user_id, nextSeq(context)).slice(6)}`,
      event: textOf(input['event']) ?? 'terminate',
      direction: textOf(input['direction']) ?? 'USER_INITIATED',
      timestamp: String(unixSeconds(context.clock())),
      status: seconds > 0 ? 'COMPLETED' : 'FAILED',
      ...(seconds > 0 ? { duration: seconds } : {}),
      ...(user.phone && !user.hidden ? { from: user.phone } : {}),
      from_user_id: user.user_id,
      to: digitsOf(phone.display_phone_number),
    };
    return send(context, input, 'calls', {
      metadata: metadataOf(phone),
      contacts: [contactOf(user, true)],
      calls: [call],
    });
  },
  history: (context, input) => {
    const { phone, user } = partiesOf(context, input);
    const own = digitsOf(phone.display_phone_number);
    const given = Array.isArray(input['messages']) ? objectsOf(input['messages']) : sampleTalk;
    const first = context.clock() - given.length * 60_000 - 30 * 86_400_000;
    const messages = given.map(({ mine, text, id }, index) => ({
      from: mine === true ? own : user.phone,
      id: textOf(id) ?? newWamid(context, user.user_id, nextSeq(context)),
      timestamp: String(unixSeconds(first + index * 60_000)),
      type: 'text',
      text: { body: textOf(text) ?? '' },
      ...(mine === true ? { history_context: { status: 'READ' } } : {}),
    }));
    const chunk = { metadata: { phase: 0, chunk_order: 1, progress: 100 }, threads: [{ id: user.phone, messages }] };
    return send(context, input, 'history', { metadata: metadataOf(phone), history: [chunk] });
  },
  contacts_sync: (context, input) => {
    const { phone, user } = partiesOf(context, input);
    const contact = { full_name: user.name, first_name: user.name.split(' ')[0], phone_number: user.phone };
    const item = {
      type: 'contact',
      contact,
      action: textOf(input['action']) ?? 'add',
      metadata: { timestamp: String(unixSeconds(context.clock())) },
    };
    return send(context, input, 'smb_app_state_sync', { metadata: metadataOf(phone), state_sync: [item] });
  },
};

const sampleTalk: readonly JsonObject[] = [
  { text: 'Do you have lavender?' },
  { mine: true, text: 'Yes, in three sizes.' },
];

function partiesOf(context: Context, input: JsonObject): { phone: PhoneNumber; user: User } {
  const account = accountFor(context, input);
  return { phone: phoneFor(context, input, account), user: selectUser(context, account, input, true) };
}

function nextSeq(context: Context): number {
  const seq = context.state.nextSeq;
  context.state.nextSeq += 1;
  return seq;
}

/** Returns what was written on the business's side, and not by the product: a text, or any message that is given. */
function written(context: Context, phone: PhoneNumber, user: User, input: JsonObject): JsonObject {
  return {
    from: digitsOf(phone.display_phone_number),
    ...(user.phone && !user.hidden ? { to: user.phone } : {}),
    to_user_id: user.user_id,
    id: textOf(input['id']) ?? newWamid(context, user.user_id, nextSeq(context)),
    timestamp: textOf(input['timestamp']) ?? String(unixSeconds(context.clock())),
    ...(isObject(input['message'])
      ? input['message']
      : { type: 'text', text: { body: textOf(input['text']) ?? 'Written elsewhere' } }),
  };
}

function handover(context: Context, phone: PhoneNumber, user: User, what: JsonObject): JsonObject {
  return {
    type: Object.keys(what)[0],
    sender: { ...(user.phone ? { phone_number: user.phone } : {}), user_id: user.user_id },
    recipient: { phone_number_id: phone.id, display_phone_number: digitsOf(phone.display_phone_number) },
    timestamp: String(unixSeconds(context.clock())),
    ...what,
  };
}

function send(context: Context, input: JsonObject, field: string, value: JsonObject): JsonObject {
  const account = accountFor(context, input);
  const full = { messaging_product: 'whatsapp', ...value };
  context.webhooks.enqueue(account, { field, value: full, time: unixSeconds(context.clock()) });
  return { field, value: full };
}
