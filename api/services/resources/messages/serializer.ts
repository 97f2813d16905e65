import type { MessageRow } from '../../../../models';
import { isoTime, wire } from '../../../core/shapes';
import { userFromJson, type UserJson } from '../../identity/members/userColumns';
import { stoppedCodeSql } from '../accounts/stops';
import { messageBodyShape } from '../conversations/messageBody';
import { receiverShape } from '../conversations/serializer';
import { userBriefShape, userObjectBrief } from '../../identity/members/userObject';
import { phoneNumberObject, phoneNumberObjectShape, type PhoneNumberColumns } from '../phoneNumbers/serializer';
import { messageStatuses } from './rows/status';

/** The columns of a message `m` that leave the service. */
export const messageColumns = `m.conversation_id, m.phone_number_id, m.direction, m.type, m.body, m.message_status,
  m.wamid, m.reply_to_wamid, m.referred_product, m.payment_status, m.pricing_category, m.error_code, m.error_title,
  m.error_message, m.delivery_note, m."read", m.is_import_placeholder, m.group_info, m.origin, m.created_at,
  m.updated_at, CASE m.delivery_state WHEN 'queued' THEN ${stoppedCodeSql('m.phone_number_id')} END AS stopped_code`;

export type MessageView = Pick<
  MessageRow,
  | 'id'
  | 'conversation_id'
  | 'phone_number_id'
  | 'direction'
  | 'type'
  | 'body'
  | 'message_status'
  | 'wamid'
  | 'reply_to_wamid'
  | 'referred_product'
  | 'payment_status'
  | 'pricing_category'
  | 'error_code'
  | 'error_title'
  | 'error_message'
  | 'delivery_note'
  | 'read'
  | 'is_import_placeholder'
  | 'group_info'
  | 'origin'
  | 'created_at'
  | 'updated_at'
> & {
  readonly sender: UserJson | null;
  readonly number: PhoneNumberColumns | null;
  readonly stopped_code: number | null;
};

/** Returns a message (contract 6.3). `receiver` is its conversation, already serialized. */
export function serializeMessage(row: MessageView, receiver: Record<string, unknown>): Record<string, unknown> {
  return {
    id: row.id,
    // A message to a group stands in its sender's thread (contract 6).
    receiver: row.group_info ? { ...receiver, is_group: true } : receiver,
    phone_number: row.number === null ? null : phoneNumberObject(row.number),
    send_by: row.sender === null ? null : userObjectBrief(userFromJson(row.sender)),
    group: row.group_info ?? null,
    // Bodies are never shortened here; both stay texts on the wire (contract 3).
    is_truncated: 'false',
    preview_length: '0',
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    direction: row.direction,
    body: row.body,
    read: row.read,
    message_id: row.wamid ?? '',
    message_status: row.message_status,
    reply_to_wamid: row.reply_to_wamid,
    referred_product: row.referred_product ?? null,
    payment_status: row.payment_status,
    error_code: row.error_code,
    error_title: row.error_title,
    error_message: row.error_message,
    delivery_note: row.delivery_note,
    stopped_code: row.stopped_code,
    pricing_category: row.pricing_category,
    is_import_placeholder: row.is_import_placeholder,
  };
}

/** Wire shape of `serializeMessage`. */
export const messageShape = wire.named('Message', {
  id: wire.integer(),
  receiver: receiverShape,
  phone_number: wire.nullable(phoneNumberObjectShape),
  send_by: wire.nullable(userBriefShape),
  group: wire.nullable(
    wire.named('Group', { id: wire.nullable(wire.integer()), subject: wire.text(), group_id: wire.text() }),
  ),
  is_truncated: wire.text(),
  preview_length: wire.text(),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
  direction: wire.oneOf(['inbound', 'outbound']),
  body: messageBodyShape,
  read: wire.boolean(),
  message_id: wire.text("The platform's id (wamid); empty until the platform has accepted the message."),
  message_status: wire.oneOf(messageStatuses),
  reply_to_wamid: wire.text(),
  referred_product: wire.any(),
  payment_status: wire.text(),
  error_code: wire.nullable(wire.integer()),
  error_title: wire.text(),
  error_message: wire.text(),
  delivery_note: wire.text(
    '`held_by_platform`: the platform has taken it (`sent`) and looks at its template first; else empty.',
  ),
  stopped_code: wire.nullable(
    wire.integer("Of a queued message: the platform's code that stops its number or account, so that it waits."),
  ),
  pricing_category: wire.text(),
  is_import_placeholder: wire.boolean(),
});
