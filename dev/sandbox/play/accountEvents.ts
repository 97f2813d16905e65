import type { Context } from '../context';
import { ControlError } from './controlError';
import { webhookError } from '../wire/errors';
import { metadataOf } from '../wire/statuses';
import type { JsonObject } from '../types';
import { accountFor, phoneFor } from './users';
import { digitsOf, textOf, unixSeconds } from '../util';

type Handler = (context: Context, input: JsonObject) => JsonObject;

function send(context: Context, input: JsonObject, field: string, value: JsonObject): JsonObject {
  context.webhooks.enqueue(accountFor(context, input), { field, value, time: unixSeconds(context.clock()) });
  return { field, value };
}

/** Returns what a call gives for the webhook itself: all but what names the event and where it goes. */
function given(input: JsonObject): JsonObject {
  const { kind: _kind, business_account_id: _account, phone_number_id: _phone, user: _user, ...value } = input;
  return value;
}

/** Events of numbers and accounts, and payments, which travel as statuses. */
export const accountHandlers: Record<string, Handler> = {
  account_update: (context, input) =>
    send(context, input, 'account_update', { event: 'ACCOUNT_VIOLATION', ...given(input) }),
  account_alert: (context, input) =>
    send(context, input, 'account_alerts', {
      entity_type: 'WABA',
      entity_id: accountFor(context, input).business_account_id,
      alert_severity: 'WARNING',
      alert_status: 'ACTIVE',
      alert_type: 'INCREASED_CAPABILITIES_ELIGIBILITY_NEED_MORE_INFO',
      alert_description: 'More about the business is needed before its limits can grow.',
      ...given(input),
    }),
  account_review: (context, input) =>
    send(context, input, 'account_review_update', { decision: 'APPROVED', ...given(input) }),
  business_capability: (context, input) =>
    send(context, input, 'business_capability_update', {
      max_daily_conversations_per_business: 2000,
      max_phone_numbers_per_business: 25,
      ...given(input),
    }),
  phone_number_quality: (context, input) => {
    const phone = phoneFor(context, input);
    const current = textOf(input['current_limit']) ?? phone.messaging_limit;
    phone.messaging_limit = current;
    const rating = textOf(input['quality_rating']);
    if (rating) phone.quality_rating = rating;
    return send(context, input, 'phone_number_quality_update', {
      display_phone_number: digitsOf(phone.display_phone_number),
      event: textOf(input['event']) ?? 'ONBOARDING',
      current_limit: current,
      max_daily_conversations_per_business: current,
    });
  },
  phone_number_name: (context, input) => {
    const phone = phoneFor(context, input);
    const decision = textOf(input['decision'])?.toUpperCase() ?? 'APPROVED';
    const name = textOf(input['name']) || phone.verified_name;
    if (decision === 'APPROVED') phone.verified_name = name;
    phone.name_status = decision;
    return send(context, input, 'phone_number_name_update', {
      display_phone_number: digitsOf(phone.display_phone_number),
      decision,
      requested_verified_name: name,
      rejection_reason: decision === 'REJECTED' ? 'NAME_NOT_CONSISTENT' : null,
    });
  },
  security: (context, input) =>
    send(context, input, 'security', {
      display_phone_number: digitsOf(phoneFor(context, input).display_phone_number),
      event: textOf(input['event']) ?? 'PIN_CHANGED',
      requester: '61555822107539',
    }),
  account_errors: (context, input) => {
    const phone = phoneFor(context, input);
    return send(context, input, 'messages', {
      messaging_product: 'whatsapp',
      metadata: metadataOf(phone),
      errors: [webhookError(Number(input['code'] ?? 131031), textOf(input['details']))],
    });
  },
  payment: (context, input) => {
    const record = context.state.messages.get(textOf(input['wamid']) ?? '');
    const phone = record ? context.state.phones.get(record.phone_number_id) : undefined;
    if (!record || record.direction !== 'out' || !phone)
      throw new ControlError(404, 'No accepted message with this wamid.');
    const status = textOf(input['status']) ?? 'captured';
    const at = String(unixSeconds(context.clock()));
    const item = {
      id: record.wamid,
      recipient_id: record.to,
      type: 'payment',
      status,
      timestamp: at,
      ...(record.opaque === null ? {} : { biz_opaque_callback_data: record.opaque }),
      payment: {
        reference_id: `ref-${record.seq}`,
        amount: { value: 2500, offset: 100 },
        currency: 'INR',
        transaction: {
          id: `order_${record.seq}`,
          type: 'upi',
          status: status === 'captured' ? 'success' : status,
          created_timestamp: at,
          updated_timestamp: at,
        },
      },
    };
    return send(context, { phone_number_id: phone.id }, 'messages', {
      messaging_product: 'whatsapp',
      metadata: metadataOf(phone),
      statuses: [item],
    });
  },
};
