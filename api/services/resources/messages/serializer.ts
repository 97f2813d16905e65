import type { MessageRow } from '../../../../models';
import { cut } from '../../../core/text/cut';
import { isoTime, wire } from '../../../core/http/shapes';
import { userFromJson, type UserJson } from '../../identity/members/userColumns';
import { stoppedCodeSql } from '../accounts/stops';
import { mediaShape, mediaSql } from '../files/rows';
import { messageBodyShape } from '../conversations/messageBody';
import { receiverShape } from '../conversations/serializer';
import { userBriefShape, userObjectBrief } from '../../identity/members/userObject';
import { phoneNumberObject, phoneNumberObjectShape, type PhoneNumberColumns } from '../phoneNumbers/serializer';
import { messageStatuses } from './rows/status';

/**
 * SQL: who wrote message `m`, of member `u`: what sent it is said before the member in whose name it did. Each is
 * looked up by its key, for the rows of a page alone.
 */
const writtenBySql = `CASE
    WHEN m.direction = 'inbound' THEN NULL
    WHEN m.broadcast_id IS NOT NULL THEN (SELECT jsonb_build_object('type', 'broadcast', 'id', b.id, 'name', b.name)
      FROM broadcasts b WHERE b.id = m.broadcast_id AND b.workspace_id = m.workspace_id)
    WHEN m.rule_id IS NOT NULL THEN (SELECT jsonb_build_object('type', 'rule', 'id', r.id, 'name', r.name)
      FROM rules r WHERE r.id = m.rule_id AND r.workspace_id = m.workspace_id)
    WHEN m.origin = 'stage' THEN (
      SELECT jsonb_build_object('type', 'ticket', 'id', s.ticket_id, 'name', 'Ticket #' || s.ticket_id)
      FROM ticket_stage_move_recipients r JOIN ticket_stage_moves s ON s.id = r.move_id
      WHERE r.message_id = m.id AND s.workspace_id = m.workspace_id LIMIT 1)
    WHEN m.api_key_id IS NOT NULL THEN (SELECT jsonb_build_object('type', 'api_key', 'id', k.id, 'name', k.name)
      FROM api_keys k WHERE k.id = m.api_key_id AND k.workspace_id = m.workspace_id)
    WHEN m.oauth_grant_id IS NOT NULL THEN (SELECT jsonb_build_object('type', 'agent', 'id', g.id, 'name', o.name)
      FROM oauth_grants g JOIN oauth_clients o ON o.id = g.client_pk
      WHERE g.id = m.oauth_grant_id AND g.workspace_id = m.workspace_id)
    WHEN u.id IS NOT NULL THEN jsonb_build_object('type', 'member', 'id', u.id, 'name', u.name)
  END || jsonb_build_object('approved_by', (SELECT a.name FROM members a
    WHERE a.id = m.approved_by_member_id AND a.workspace_id = m.workspace_id))`;

/** The columns of a message `m` that leave the service. */
export const messageColumns = `m.conversation_id, m.phone_number_id, m.direction, m.type, m.body, m.message_status,
  m.wamid, m.reply_to_wamid, m.referred_product, m.payment_status, m.pricing_category, m.error_code, m.error_title,
  m.error_message, m.delivery_note, m."read", m.is_import_placeholder, m.group_info, m.origin, m.standby, m.edited_at,
  m.edits, m.deleted_at, m.created_at, m.updated_at, ${writtenBySql} AS written_by, ${mediaSql} AS media,
  CASE m.delivery_state WHEN 'queued' THEN ${stoppedCodeSql('m.phone_number_id')} END AS stopped_code`;

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
  | 'standby'
  | 'edited_at'
  | 'edits'
  | 'deleted_at'
  | 'created_at'
  | 'updated_at'
> & {
  readonly sender: UserJson | null;
  readonly number: PhoneNumberColumns | null;
  readonly stopped_code: number | null;
  readonly written_by: Readonly<Record<string, unknown>> | null;
  readonly media: Readonly<Record<string, unknown>> | null;
};

/** Returns a message (contract 6.3). `receiver` is its conversation, already serialized. */
export function serializeMessage(row: MessageView, receiver: Record<string, unknown>): Record<string, unknown> {
  return {
    id: row.id,
    // A message to a group is shown in its sender's conversation (contract 6).
    receiver: row.group_info ? { ...receiver, is_group: true } : receiver,
    phone_number: row.number === null ? null : phoneNumberObject(row.number),
    send_by: row.sender === null ? null : userObjectBrief(userFromJson(row.sender)),
    group: row.group_info ?? null,
    // Lists may say otherwise (`listedMessage`); both stay texts on the wire (contract 3).
    is_truncated: 'false',
    preview_length: '0',
    written_by: row.written_by,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    direction: row.direction,
    body: row.body,
    media: row.media,
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
    source: row.direction === 'outbound' ? row.origin : '',
    standby: row.standby,
    edited_at: isoTime(row.edited_at),
    edits: row.edits,
    deleted_at: isoTime(row.deleted_at),
    stopped_code: row.stopped_code,
    pricing_category: row.pricing_category,
    is_import_placeholder: row.is_import_placeholder,
  };
}

/** Most characters of each text of a message in a list: four times what people can write in one. */
export const listedText = 16_384;

/** Returns a message as lists show it: long texts are shortened, which it says; the message alone has them whole. */
export function listedMessage(message: Record<string, unknown>): Record<string, unknown> {
  const [body, edits] = [shorten(message['body']), shorten(message['edits'])];
  if (body === message['body'] && edits === message['edits']) return message;
  return { ...message, body, edits, is_truncated: 'true', preview_length: String(listedText) };
}

/** Returns a value with its long texts cut; the value itself where none is long. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > listedText ? cut(value, listedText) : value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const shorter = entries.map(([key, inner]) => [key, shorten(inner)] as const);
  if (shorter.every(([, inner], index) => inner === entries[index]?.[1])) return value;
  return Array.isArray(value) ? shorter.map(([, inner]) => inner) : Object.fromEntries(shorter);
}

const messageFields = {
  id: wire.integer(),
  receiver: receiverShape,
  phone_number: wire.nullable(phoneNumberObjectShape),
  send_by: wire.nullable(userBriefShape),
  written_by: {
    ...wire.nullable(
      wire.named('MessageAuthor', {
        type: wire.oneOf(['member', 'api_key', 'agent', 'broadcast', 'ticket', 'rule']),
        id: wire.integer(),
        name: wire.text(),
        approved_by: {
          ...wire.nullable(wire.text()),
          description: 'Name of the member who approved what an agent wrote.',
        },
      }),
    ),
    description: 'What wrote an outbound message; `send_by` is the member in whose name it did.',
  },
  group: wire.nullable(
    wire.named('Group', { id: wire.nullable(wire.integer()), subject: wire.text(), group_id: wire.text() }),
  ),
  is_truncated: wire.text(),
  preview_length: wire.text(),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
  direction: wire.oneOf(['inbound', 'outbound']),
  body: messageBodyShape,
  media: {
    ...wire.nullable(mediaShape),
    description: 'The file that the message carries, where we keep it: `GET /messages/{id}/media/` gives it.',
  },
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
  source: wire.text(
    'What sent an outbound message: api, dashboard, agent, macro, stage, broadcast, away (a reply), satisfaction ' +
      '(a question after the end), phone_app (a person in the app on the phone), other_app (another application that ' +
      'had the thread). Empty for inbound ones.',
  ),
  standby: wire.boolean('Whether it came in while another application had the thread.'),
  edited_at: { ...wire.nullable(wire.datetime()), description: 'When its author changed it last.' },
  edits: {
    ...wire.list(
      wire.named('MessageEdit', {
        body: messageBodyShape,
        at: { ...wire.datetime(), description: 'From when on it said this.' },
      }),
    ),
    description: 'What it said before its author changed it, newest last.',
  },
  deleted_at: {
    ...wire.nullable(wire.datetime()),
    description: 'When its author deleted it. `body` stays; searches leave the message out.',
  },
  stopped_code: wire.nullable(
    wire.integer("Of a queued message: the platform's code that stops its number or account, so that it waits."),
  ),
  pricing_category: wire.text(),
  is_import_placeholder: wire.boolean(),
};

/** Wire shape of `serializeMessage`. */
export const messageShape = wire.named('Message', messageFields);

/** Wire shape of a message that a search has found. */
export const foundMessageShape = wire.named('FoundMessage', {
  ...messageFields,
  text: wire.text('The text that was searched, of at most 10,000 characters.'),
  highlight: {
    ...wire.list(wire.list(wire.integer())),
    description: 'Where words of the search stand in `text`: `[start, end]`, in UTF-16 units as JavaScript counts.',
  },
});
