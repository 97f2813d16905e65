import type { Context } from '../context';
import { webhookError } from './errors';
import { freeUntil, priceOf } from './prices';
import type { JsonObject, PhoneNumber, SentRecord, User } from '../types';
import { digitsOf, shuffle, unixSeconds } from '../util';

export interface StatusStep {
  status: string;
  code?: number;
  details?: string;
}

export function metadataOf(phone: PhoneNumber): JsonObject {
  return { display_phone_number: digitsOf(phone.display_phone_number), phone_number_id: phone.id };
}

/** Returns the `contacts` item of a user; `wa_id` is left out where the phone is hidden. */
export function contactOf(user: User, withUsername: boolean, knownByPhone = false): JsonObject {
  const profile: JsonObject = { name: user.name };
  if (withUsername && user.username) profile['username'] = `@${user.username}`;
  const contact: JsonObject = { profile };
  if (user.phone && (!user.hidden || knownByPhone)) contact['wa_id'] = user.phone;
  contact['user_id'] = user.user_id;
  if (user.parent_user_id) contact['parent_user_id'] = user.parent_user_id;
  return contact;
}

/** Plans the statuses of an accepted message; each step comes one delay after the one before. */
export function scheduleStatuses(context: Context, record: SentRecord, user: User, steps: StatusStep[]): void {
  const { settings } = context.state;
  const order = settings.reorder
    ? shuffle(
        steps.map((_, index) => index),
        context.random,
      )
    : undefined;
  steps.forEach((step, index) => {
    const place = order ? (order[index] as number) : index;
    const delay = settings.status_delay_ms * (index + 1);
    const chosen = order ? (steps[place] as StatusStep) : step;
    // The instants keep their true order even where the deliveries do not.
    const at = record.accepted_at + settings.status_delay_ms * (place + 1);
    if (settings.status_before_response && index === 0) emitStatus(context, record, user, chosen, at);
    else context.scheduler.after(delay, () => emitStatus(context, record, user, chosen, at));
  });
}

/** Records a status and sends its webhook. */
export function emitStatus(
  context: Context,
  record: SentRecord,
  user: User,
  step: StatusStep,
  at: number,
  extra?: JsonObject,
): void {
  const { state } = context;
  const phone = state.phones.get(record.phone_number_id);
  const account = state.accounts.get(record.business_account_id);
  if (!phone || !account) return;
  record.statuses.push(
    step.code === undefined ? { status: step.status, at } : { status: step.status, at, code: step.code },
  );
  if (step.status === 'delivered' || step.status === 'read' || step.status === 'played') {
    record.arrived = true;
  } else if (step.status === 'failed') {
    record.lost = true;
  }
  context.webhooks.enqueue(account, {
    field: 'messages',
    value: statusValue(context, phone, record, user, step, at, extra),
  });
  context.changed();
}

function statusValue(
  context: Context,
  phone: PhoneNumber,
  record: SentRecord,
  user: User,
  step: StatusStep,
  at: number,
  extra?: JsonObject,
): JsonObject {
  const status: JsonObject = { id: record.wamid, status: step.status, timestamp: String(unixSeconds(at)) };
  const byPhone = record.via === 'phone' || record.via === 'both';
  if (record.via === 'group') {
    status['recipient_id'] = record.to;
    status['recipient_type'] = 'group';
  } else {
    if (byPhone) status['recipient_id'] = user.phone ?? record.to;
    else if (user.phone && !user.hidden) status['recipient_id'] = user.phone;
    status['recipient_user_id'] = user.user_id;
    if (user.parent_user_id) status['parent_recipient_user_id'] = user.parent_user_id;
  }
  if (record.opaque !== null) status['biz_opaque_callback_data'] = record.opaque;
  if (step.status === 'failed') {
    status['errors'] = [webhookError(step.code ?? 131000, step.details)];
  } else if (step.status !== 'played') {
    const freeEntry = freeUntil(user, phone.id, at);
    if (freeEntry) status['conversation'] = conversationOf(user, phone, step.status, freeEntry);
    const second = context.state.settings.statuses.includes('delivered') ? 'delivered' : 'read';
    if (step.status === 'sent' || step.status === second) status['pricing'] = priceOf(context, record, user);
  }
  Object.assign(status, extra);
  const value: JsonObject = { messaging_product: 'whatsapp', metadata: metadataOf(phone) };
  if (step.status !== 'failed' && record.via !== 'group')
    value['contacts'] = [contactOf(user, step.status !== 'sent', byPhone)];
  value['statuses'] = [status];
  return value;
}

function conversationOf(user: User, phone: PhoneNumber, status: string, end: number): JsonObject {
  const conversation: JsonObject = { id: `${phone.id}${digitsOf(user.user_id)}${unixSeconds(end)}`.slice(0, 32) };
  if (status === 'sent') conversation['expiration_timestamp'] = String(unixSeconds(end));
  conversation['origin'] = { type: 'referral_conversion' };
  return conversation;
}
