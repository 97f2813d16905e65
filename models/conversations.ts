import { literal } from 'sequelize';
import {
  bigint,
  bigints,
  boolean,
  date,
  id,
  integer,
  json,
  key,
  longText,
  now,
  orNull,
  ref,
  smallint,
  text,
  time,
} from './columns';
import type { ConvStatus, PresenceState, Priority, Rating } from './enums';
import { defineTable, type RowOf } from './table';

/** The one conversation of a contact. */
const conversationColumns = {
  // Always equal to `contact_id`.
  id: key(bigint()),
  workspace_id: ref('workspaces', 'cascade'),
  contact_id: ref('contacts', 'cascade'),
  conv_status: text<ConvStatus>(16, 'open'),
  snoozed_until: orNull(time()),
  snooze_version: integer(0),
  priority: text<Priority>(16, 'normal'),
  assigned_member_id: orNull(ref('members', 'set null')),
  assigned_team_inbox_id: orNull(ref('team_inboxes', 'set null')),
  calling_permission: boolean(false),
  phone_number_id: orNull(ref('phone_numbers', 'set null')),
  unread_count: integer(0),
  last_message_id: orNull(bigint()),
  last_message_at: orNull(time()),
  last_inbound_at: orNull(time()),
  active_till: orNull(time()),
  first_response_at: orNull(time()),
  resolved_at: orNull(time()),
  sla_policy_id: orNull(ref('sla_policies', 'set null')),
  sla_first_response_deadline: orNull(time()),
  sla_resolution_deadline: orNull(time()),
  sla_breached: boolean(false),
  sla_version: integer(0),
  is_group: boolean(false),
  send_seq: integer(0),
  created_at: now(),
  updated_at: now(),
  sla_started_at: orNull(time()),
  sla_responded_at: orNull(time()),
  sla_stopped_at: orNull(time()),
  pair_free_at: orNull(time()),
  // When the customer, a person or an agent last wrote; broadcasts and stage notifications do not count.
  last_exchange_at: orNull(time()),
  // When the customer first wrote after the last message by a person or an agent.
  unanswered_since: orNull(time()),
  wrote_while_snoozed: boolean(false),
  thread_owner: text(64, ''),
  away_replied_at: orNull(time()),
  thread_at: orNull(time()),
  // Since when it waits for its team inbox to find a member; triggers set it (migration 14).
  queued_at: orNull(time()),
};

/** Columns of a row of `conversations`. */
export type ConversationRow = RowOf<typeof conversationColumns>;

/** Binds the table `conversations`. */
export const conversationTable = defineTable('Conversation', 'conversations', conversationColumns);

/** What members tell each other beside a thread; no program is shown it. */
const conversationNoteColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  conversation_id: ref('conversations', 'cascade'),
  author_id: orNull(ref('members', 'set null')),
  body: longText(),
  mentioned_ids: bigints([]),
  created_at: now(),
};

/** Binds the table `conversation_notes`. */
export const conversationNoteTable = defineTable('ConversationNote', 'conversation_notes', conversationNoteColumns);

/** Until when free-form messages may be sent, per number and conversation. */
const conversationWindowColumns = {
  conversation_id: key(ref('conversations', 'cascade')),
  phone_number_id: key(ref('phone_numbers', 'cascade')),
  open_until: time(),
};

/** Binds the table `conversation_windows`. */
export const conversationWindowTable = defineTable(
  'ConversationWindow',
  'conversation_windows',
  conversationWindowColumns,
);

/** What reports count: from a customer's message, where nothing is under way, until the conversation is ended. */
const conversationEpisodeColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  // Null: the contact was erased.
  conversation_id: orNull(ref('conversations', 'set null')),
  started_at: time(),
  first_response_at: orNull(time()),
  answered_by_id: orNull(bigint()),
  ended_at: orNull(time()),
  ended_as: text<'' | 'resolved' | 'converted' | 'spam' | 'merged' | 'erased'>(16, ''),
  ended_by_id: orNull(bigint()),
  team_inbox_id: orNull(bigint()),
  tags: json(),
  broadcast_id: orNull(bigint()),
  started_on: orNull(date()),
  started_hour: orNull(smallint()),
  ended_on: orNull(date()),
  first_response_seconds: orNull(integer()),
  resolution_seconds: orNull(integer()),
  // The question how satisfied the customer is, and what they answered last.
  asked_at: orNull(time()),
  rating: orNull(text<Rating>(8)),
  rated_at: orNull(time()),
  unsummed: boolean(true),
};

/** Binds the table `conversation_episodes`. */
export const conversationEpisodeTable = defineTable(
  'ConversationEpisode',
  'conversation_episodes',
  conversationEpisodeColumns,
);

/** Who looks at a conversation or writes in it, by their last sign. */
const presenceColumns = {
  workspace_id: key(bigint()),
  conversation_id: key(bigint()),
  member_id: key(bigint()),
  state: text<PresenceState>(16),
  seen_at: time(literal('clock_timestamp()')),
  /** When the customer was last told that this member writes. */
  typing_told_at: orNull(time()),
};

/** Binds the table `presence`. */
export const presenceTable = defineTable('Presence', 'presence', presenceColumns);

/** What a member wants to come back to although they have read it; no program is shown it. */
const unreadMarkColumns = {
  workspace_id: ref('workspaces', 'cascade'),
  member_id: key(ref('members', 'cascade')),
  conversation_id: key(ref('conversations', 'cascade')),
  created_at: now(),
};

/** Binds the table `unread_marks`. */
export const unreadMarkTable = defineTable('UnreadMark', 'unread_marks', unreadMarkColumns);
