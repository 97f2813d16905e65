import { literal } from 'sequelize';
import { bigint, boolean, id, integer, json, key, longText, now, orNull, ref, text, time, uuid } from './columns';
import type { HeldReason, IfCustomerWrites } from './enums';
import { defineTable, type RowOf } from './table';

/** A message and the state of its delivery. */
const messageColumns = {
  id: id(),
  workspace_id: key(ref('workspaces', 'cascade')),
  /** Of a conversation, or of one that is gone and stands in `left_histories`. */
  conversation_id: bigint(),
  phone_number_id: orNull(ref('phone_numbers', 'set null')),
  direction: text<'inbound' | 'outbound'>(8),
  type: text(32),
  body: json(),
  message_status: text<'received' | 'queued' | 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'unknown'>(16),
  wamid: orNull(text(255)),
  reply_to_wamid: text(255, ''),
  referred_product: orNull(json()),
  payment_status: text(32, ''),
  pricing_category: text(64, ''),
  error_code: orNull(integer()),
  error_title: text(255, ''),
  error_message: longText(''),
  read: boolean(false),
  is_import_placeholder: boolean(false),
  group_info: orNull(json()),
  context: orNull(json()),
  template_pk: orNull(ref('templates', 'set null')),
  sent_by_member_id: orNull(ref('members', 'set null')),
  api_key_id: orNull(ref('api_keys', 'set null')),
  origin: text(16, 'api'),
  dedupe_key: orNull(text(160)),
  delivery_state: text<'none' | 'queued' | 'sending' | 'settled'>(8, 'none'),
  opaque: orNull(uuid()),
  send_seq: orNull(integer()),
  attempts: integer(0),
  /** Of those, how many ended before the call, because the file was not at the platform yet. */
  file_waits: integer(0),
  next_attempt_at: orNull(time()),
  slot_at: orNull(time()),
  look_at: time(literal("(now() + '00:00:02'::interval)")),
  claim_expires_at: orNull(time()),
  deliver_by: orNull(time()),
  unknown_intake_ms: orNull(bigint()),
  sent_at: orNull(time()),
  delivered_at: orNull(time()),
  read_at: orNull(time()),
  failed_at: orNull(time()),
  created_at: now(),
  updated_at: now(),
  broadcast_id: orNull(bigint()),
  broadcast_position: orNull(integer()),
  // No foreign keys: deleting a grant or member would search all messages. Their names are joined when messages are
  // read.
  oauth_grant_id: orNull(bigint()),
  approved_by_member_id: orNull(bigint()),
  /** Of the rule that sent it. */
  rule_id: orNull(bigint()),
  pricing: orNull(json()),
  standby: boolean(false),
  delivery_note: text(32, ''),
  file_id: orNull(bigint()),
  flow_button: orNull(json()),
  edited_at: orNull(time()),
  edits: json([]),
  deleted_at: orNull(time()),
  /** What its template says, as it was when the message was accepted, with the values filled in. */
  said: orNull(longText()),
};

/** Columns of a row of `messages`. */
export type MessageRow = RowOf<typeof messageColumns>;

/** Binds the table `messages`. */
export const messageTable = defineTable('Message', 'messages', messageColumns);

/** A message that is to be sent later, or is held: it becomes a row of `messages` under the same id. */
const scheduledMessageColumns = {
  id: key(bigint(literal(`nextval((pg_get_serial_sequence('messages'::text, 'id'::text))::regclass)`))),
  workspace_id: ref('workspaces', 'cascade'),
  conversation_id: ref('conversations', 'cascade'),
  phone_number_id: orNull(ref('phone_numbers', 'set null')),
  state: text<'scheduled' | 'held'>(16, 'scheduled'),
  send_at: time(),
  if_customer_writes: text<IfCustomerWrites>(8),
  held_reason: orNull(text<HeldReason>(16)),
  /** Counts the changes of its moment, for its timer. */
  version: integer(1),
  type: text(32),
  body: json(),
  file_id: orNull(bigint()),
  reply_to_wamid: text(255, ''),
  template_pk: orNull(ref('templates', 'set null')),
  sent_by_member_id: orNull(ref('members', 'set null')),
  api_key_id: orNull(ref('api_keys', 'set null')),
  oauth_grant_id: orNull(bigint()),
  approved_by_member_id: orNull(bigint()),
  origin: text(16),
  /** The rule that has scheduled it. */
  rule_id: orNull(bigint()),
  dedupe_key: orNull(text(160)),
  created_at: now(),
  updated_at: now(),
};

/** Columns of a row of `scheduled_messages`. */
export type ScheduledMessageRow = RowOf<typeof scheduledMessageColumns>;

/** Binds the table `scheduled_messages`. */
export const scheduledMessageTable = defineTable('ScheduledMessage', 'scheduled_messages', scheduledMessageColumns);

/** A group that the upstream has named in a message. */
const messageGroupColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  group_id: text(255),
  subject: text(255, ''),
  created_at: now(),
};

/** Binds the table `message_groups`. */
export const messageGroupTable = defineTable('MessageGroup', 'message_groups', messageGroupColumns);

/** A status webhook that waits for its message. */
const parkedStatusColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  wamid: text(255),
  payload: json(),
  created_at: now(),
};

/** Binds the table `parked_statuses`. */
export const parkedStatusTable = defineTable('ParkedStatus', 'parked_statuses', parkedStatusColumns);
