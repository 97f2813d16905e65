import type { Context } from '../context';
import { ControlError } from './controlError';
import { webhookError } from '../wire/errors';
import type { Limits } from '../wire/limits';
import { inboundMedia } from '../wire/media';
import { newWamid } from '../wire/messages';
import { sampleContent } from './samples';
import { contactOf, metadataOf } from '../wire/statuses';
import type { Account, InboundRecord, JsonObject, PhoneNumber, User } from '../types';
import { accountFor, phoneFor, selectUser } from './users';
import { isObject, textOf, unixSeconds } from '../util';

const mediaTypes = new Set(['image', 'video', 'audio', 'document', 'sticker']);
/** Types that only change what the customer wrote before. */
export const corrections: readonly string[] = ['edit', 'revoke'];
/** An ad click as the platform describes it; `referral: true` asks for this one. */
const sampleReferral: JsonObject = {
  source_url: 'https://fb.me/spring-sale',
  source_id: '120210000000000001',
  source_type: 'ad',
  headline: 'Spring sale',
  body: 'Everything for the garden, 20% off',
  media_type: 'image',
  image_url: 'https://scontent.example/ad.jpg',
  ctwa_clid: 'ARAkLkA8rmlFeiCktEJQ-QTwRiyYHAFDLMNDBH0CD3qpjd0HR4irJ6LEkR7JwFF4XvnO2E4Nx0-eM-GABDLOPaOdRMv-_zfUQ2a',
};

export interface InboundResult {
  wamid: string;
  user: User;
}

/** Lets a customer write: remembers the message, opens the window, sends the business its webhook. */
export function receiveInbound(context: Context, limits: Limits, input: JsonObject): InboundResult {
  const account = accountFor(context, input);
  const phone = phoneFor(context, input, account);
  const user = selectUser(context, account, input, true);
  const now = context.clock();
  const at = timestampMs(input['timestamp']) ?? now;
  const { type, content, extra } = readMessage(context, account, input);
  const seq = context.state.nextSeq;
  context.state.nextSeq += 1;
  const wamid = textOf(input['wamid']) ?? textOf(objectMessage(input)['id']) ?? newWamid(context, user.user_id, seq);
  const message: JsonObject = { ...senderOf(user), id: wamid, timestamp: String(unixSeconds(at)), type };
  const group = textOf(input['group_id']);
  if (group) message['group_id'] = group;
  // A type without its object: the platform could not say what the message holds.
  if (content !== undefined && input['omit_content'] !== true) message[type] = content;
  Object.assign(message, extra);
  const referral = input['referral'] === true ? sampleReferral : input['referral'];
  if (isObject(referral)) {
    message['referral'] = referral;
    user.referrals = { ...user.referrals, [phone.id]: at };
  }
  const given = contextOf(context, input, phone);
  if (given) message['context'] = given;
  const record: InboundRecord = {
    direction: 'in',
    seq,
    wamid,
    business_account_id: account.business_account_id,
    phone_number_id: phone.id,
    user_key: user.key,
    type,
    message,
    at: now,
  };
  context.state.addInbound(record);
  if (!corrections.includes(type)) user.windows[phone.id] = Math.max(user.windows[phone.id] ?? 0, at);
  user.last_at = now;
  limits.countInbound(context, phone);
  const value: JsonObject = { messaging_product: 'whatsapp', metadata: metadataOf(phone) };
  if (input['omit_contacts'] !== true) value['contacts'] = [contactOf(user, true)];
  const errors = Array.isArray(input['errors']) ? { errors: input['errors'] } : {};
  if (user.agent) value['standby'] = { messages: [message] };
  else Object.assign(value, { messages: [message], ...errors });
  context.webhooks.enqueue(account, { field: user.agent ? 'standby' : 'messages', value });
  context.changed();
  return { wamid, user };
}

/** Returns `from` and the scoped ids; the phone is absent (not empty) where it is hidden. */
function senderOf(user: User): JsonObject {
  const sender: JsonObject = {};
  if (user.phone && !user.hidden) sender['from'] = user.phone;
  sender['from_user_id'] = user.user_id;
  if (user.parent_user_id) sender['from_parent_user_id'] = user.parent_user_id;
  return sender;
}

function objectMessage(input: JsonObject): JsonObject {
  return isObject(input['message']) ? input['message'] : {};
}

function readMessage(
  context: Context,
  account: Account,
  input: JsonObject,
): { type: string; content: unknown; extra: JsonObject } {
  if (!isObject(input['message'])) {
    const text = textOf(input['text']);
    if (text === undefined) throw new ControlError(400, 'Give text or message.');
    return { type: 'text', content: { body: text }, extra: {} };
  }
  const { id: _id, type: givenType, context: _context, referral: _referral, ...rest } = input['message'];
  const type = textOf(givenType) ?? 'text';
  const { [type]: given, ...extra } = rest;
  if (mediaTypes.has(type))
    return { type, content: inboundMedia(context, account, type, isObject(given) ? given : {}), extra };
  if (type === 'unsupported' || type === 'unknown') {
    const content = isObject(given) ? given : type === 'unsupported' ? sampleContent(type, '', '') : undefined;
    return {
      type,
      content,
      extra: { errors: [webhookError(131051, 'Message type is currently not supported.')], ...extra },
    };
  }
  const sample = sampleContent(type, account.catalog_id, account.products[0]?.retailer_id ?? 'SKU-1');
  return { type, content: given ?? sample, extra };
}

/** Returns `context` as given, or made of `reply_to`; it also names whose message is answered. */
function contextOf(context: Context, input: JsonObject, phone: PhoneNumber): JsonObject | undefined {
  const given = input['context'] ?? objectMessage(input)['context'];
  const replyTo = textOf(input['reply_to']);
  if (isObject(given)) return given;
  if (!replyTo) return undefined;
  const record = context.state.messages.get(replyTo);
  const from = record?.direction === 'in' ? textOf(record.message['from']) : metadataOf(phone)['display_phone_number'];
  return { from, id: replyTo };
}

function timestampMs(value: unknown): number | undefined {
  const text = textOf(value);
  if (text === undefined || text === '') return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) {
    const parsed = Date.parse(text);
    if (Number.isNaN(parsed)) throw new ControlError(400, 'timestamp must be unix seconds, milliseconds or ISO 8601.');
    return parsed;
  }
  return number > 100_000_000_000 ? number : number * 1000;
}

/** Sends an event of identity, which arrives as a message of type `system` without contacts. */
export function systemMessage(
  context: Context,
  account: Account,
  phone: PhoneNumber,
  user: User,
  from: string | undefined,
  system: JsonObject,
  extra: JsonObject = {},
): string {
  const seq = context.state.nextSeq;
  context.state.nextSeq += 1;
  const wamid = newWamid(context, user.user_id, seq);
  const message: JsonObject = {};
  if (from) message['from'] = from;
  Object.assign(message, { id: wamid, timestamp: String(unixSeconds(context.clock())), type: 'system', system }, extra);
  context.state.addInbound({
    direction: 'in',
    seq,
    wamid,
    business_account_id: account.business_account_id,
    phone_number_id: phone.id,
    user_key: user.key,
    type: 'system',
    message,
    at: context.clock(),
  });
  context.webhooks.enqueue(account, {
    field: 'messages',
    value: { messaging_product: 'whatsapp', metadata: metadataOf(phone), messages: [message] },
  });
  context.changed();
  return wamid;
}
