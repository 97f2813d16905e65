import type { ContactRow, ConversationRow } from '../../../../models';
import { from, isoTime, shapeOf, wire } from '../../../core/http/shapes';
import { contactColumns, phoneOrBsuid, referralShape } from '../contacts/serializer';
import { convStatuses, priorities } from '../../../../models/enums';
import { messageBodyShape } from './messageBody';
import { shownValues, type PartialFields } from '../customFields/values';
import { waitsSql } from '../../../core/conversationStates';

/** Columns of a conversation `v` with its contact `c`, without `v.id`. */
export const conversationColumns = `v.contact_id, v.conv_status, v.snoozed_until, v.snooze_version, v.priority,
  v.assigned_member_id, v.assigned_team_inbox_id, v.calling_permission, v.phone_number_id, v.unread_count,
  v.last_message_id, v.last_message_at, v.last_exchange_at, v.last_inbound_at, v.active_till, v.first_response_at,
  v.resolved_at,
  v.sla_policy_id, v.sla_first_response_deadline, v.sla_resolution_deadline, v.sla_breached, v.is_group,
  v.thread_owner, v.created_at, v.updated_at, CASE WHEN ${waitsSql} THEN v.unanswered_since END AS waiting_since,
  ${contactColumns}`;

export type ConversationView = Pick<
  ConversationRow,
  | 'id'
  | 'contact_id'
  | 'conv_status'
  | 'snoozed_until'
  | 'snooze_version'
  | 'priority'
  | 'assigned_member_id'
  | 'assigned_team_inbox_id'
  | 'calling_permission'
  | 'phone_number_id'
  | 'unread_count'
  | 'last_message_id'
  | 'last_message_at'
  | 'last_exchange_at'
  | 'last_inbound_at'
  | 'active_till'
  | 'first_response_at'
  | 'resolved_at'
  | 'sla_policy_id'
  | 'sla_first_response_deadline'
  | 'sla_resolution_deadline'
  | 'sla_breached'
  | 'is_group'
  | 'thread_owner'
  | 'created_at'
  | 'updated_at'
> &
  Pick<
    ContactRow,
    | 'receiver_id'
    | 'phone'
    | 'bsuid'
    | 'name'
    | 'email'
    | 'company'
    | 'notes'
    | 'tags'
    | 'username'
    | 'profile_picture'
    | 'custom_fields'
    | 'attributes'
    | 'ctwa_clid'
    | 'ctwa_source_id'
    | 'ctwa_source_url'
    | 'ctwa_headline'
    | 'ctwa_referral_at'
    | 'first_message_at'
    | 'marketing_opt_out'
    | 'marketing_opt_out_at'
    | 'marketing_opt_out_source'
  > & { readonly partial_fields: PartialFields; readonly waiting_since: Date | null };

/** SQL: the last message `m` of a conversation, as `LastMessage` has it. */
export const lastMessageColumn = `CASE WHEN m.id IS NULL THEN NULL ELSE jsonb_build_object(
    'id', m.id,
    'direction', m.direction,
    'type', m.type,
    'message_status', m.message_status,
    'body', m.body,
    'deleted_at', m.deleted_at,
    'created_at', m.created_at
  ) END AS last_message`;

/** The last message as shown in a conversation list. */
export interface LastMessage {
  readonly last_message: {
    id: number;
    direction: string;
    type: string;
    message_status: string;
    body: unknown;
    deleted_at: string | null;
    created_at: string;
  } | null;
}

/** Returns the conversation embedded in a message as `receiver` (contract 6.1). */
export function serializeReceiver(row: ConversationView, now: Date): Record<string, unknown> {
  return {
    chat_status: row.active_till !== null && row.active_till > now ? 'active' : 'inactive',
    name: row.name,
    phone_number: phoneOrBsuid(row),
    receiver_id: row.receiver_id,
    receiver_profile: row.profile_picture,
    is_group: row.is_group,
    active_till: isoTime(row.active_till),
    email: row.email,
    company: row.company,
    notes: row.notes,
    tags: row.tags,
    calling_permission: row.calling_permission,
    first_message_at: isoTime(row.first_message_at),
    first_response_at: isoTime(row.first_response_at),
    resolved_at: isoTime(row.resolved_at),
    ctwa_clid: row.ctwa_clid,
    ctwa_source_id: row.ctwa_source_id,
    ctwa_source_url: row.ctwa_source_url,
    ctwa_headline: row.ctwa_headline,
    ctwa_referral_at: isoTime(row.ctwa_referral_at),
    sla_first_response_deadline: isoTime(row.sla_first_response_deadline),
    sla_resolution_deadline: isoTime(row.sla_resolution_deadline),
    sla_breached: row.sla_breached,
    assigned_member: row.assigned_member_id,
    assigned_team_inbox: row.assigned_team_inbox_id,
    sla_policy: row.sla_policy_id,
    conv_status: row.conv_status,
    snoozed_until: isoTime(row.snoozed_until),
    priority: row.priority,
    custom_fields: shownValues(row.custom_fields, row.partial_fields, 'conversations'),
  };
}

const receiverProperties = {
  chat_status: {
    ...wire.oneOf(['active', 'inactive']),
    description: '`active` while a 24-hour messaging window is open.',
  },
  name: wire.text(),
  phone_number: wire.text(),
  receiver_id: wire.text(),
  receiver_profile: wire.text(),
  is_group: wire.boolean(),
  active_till: wire.nullable(wire.datetime()),
  email: wire.text(),
  company: wire.text(),
  notes: wire.text(),
  tags: wire.any(),
  calling_permission: wire.boolean(),
  first_message_at: wire.nullable(wire.datetime()),
  first_response_at: wire.nullable(wire.datetime()),
  resolved_at: wire.nullable(wire.datetime()),
  ...referralShape,
  sla_first_response_deadline: wire.nullable(wire.datetime()),
  sla_resolution_deadline: wire.nullable(wire.datetime()),
  sla_breached: wire.boolean(),
  assigned_member: wire.nullable(wire.integer()),
  assigned_team_inbox: wire.nullable(wire.integer()),
  sla_policy: wire.nullable(wire.integer()),
  conv_status: wire.oneOf(convStatuses),
  snoozed_until: wire.nullable(wire.datetime()),
  priority: wire.oneOf(priorities),
  custom_fields: wire.map(),
};

/** Wire shape of `serializeReceiver`. */
export const receiverShape = wire.named('Receiver', receiverProperties);

/** Returns a conversation as a list item (contract 6). */
export function serializeConversation(row: ConversationView & LastMessage, now: Date): Record<string, unknown> {
  return {
    id: row.id,
    ...serializeReceiver(row, now),
    contact_id: row.contact_id,
    bsuid: row.bsuid,
    username: row.username,
    marketing_opt_out: row.marketing_opt_out,
    unread_count: row.unread_count,
    thread_owner: row.thread_owner,
    waiting_since: isoTime(row.waiting_since),
    last_message_at: isoTime(row.last_message_at),
    last_exchange_at: isoTime(row.last_exchange_at),
    last_message:
      row.last_message === null
        ? null
        : {
            ...row.last_message,
            deleted_at: row.last_message.deleted_at && new Date(row.last_message.deleted_at).toISOString(),
            created_at: new Date(row.last_message.created_at).toISOString(),
          },
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Wire shape of `serializeConversation`. */
export const conversationShape = wire.named('Conversation', {
  id: wire.integer("The contact's id, and the `chat_id` of a macro run."),
  ...receiverProperties,
  contact_id: wire.integer(),
  bsuid: wire.nullable(wire.text()),
  username: wire.nullable(wire.text()),
  marketing_opt_out: wire.boolean(),
  unread_count: wire.integer(),
  thread_owner: wire.text(
    'Which other application of the platform has the thread and answers; empty: none, it is ours.',
  ),
  waiting_since: {
    ...wire.nullable(wire.datetime()),
    description: 'Since when the customer waits for an answer by a person or an agent; null where nobody waits.',
  },
  last_message_at: wire.nullable(wire.datetime()),
  last_exchange_at: {
    ...wire.nullable(wire.datetime()),
    description: 'Of the last message by the customer, a person or an agent: no broadcast, no stage notification.',
  },
  last_message: wire.nullable(
    wire.named('LastMessage', {
      id: wire.integer(),
      direction: wire.text(),
      type: wire.text(),
      message_status: wire.text(),
      body: messageBodyShape,
      deleted_at: wire.nullable(wire.datetime()),
      created_at: wire.datetime(),
    }),
  ),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});

/** The state view that PATCH of a contact answers (contract 6.1). */
export const { schema: stateShape, serialize: serializeState } = shapeOf<ConversationView>('ContactState').with({
  receiver_id: wire.text(),
  name: wire.text(),
  email: wire.text(),
  company: wire.text(),
  notes: wire.text(),
  tags: wire.any(),
  custom_fields: from(wire.map(), (row) => shownValues(row.custom_fields, row.partial_fields, 'contacts')),
  marketing_opt_out: wire.boolean(),
  conv_status: wire.oneOf(convStatuses),
  snoozed_until: wire.nullable(wire.datetime()),
  priority: wire.oneOf(priorities),
  assigned_member: from(wire.nullable(wire.integer()), (row) => row.assigned_member_id),
  assigned_team_inbox: from(wire.nullable(wire.integer()), (row) => row.assigned_team_inbox_id),
  calling_permission: wire.boolean(),
});
