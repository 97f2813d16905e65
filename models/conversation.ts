import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { ConvStatus, Priority } from './enums';
import { column, columnOf, defineTable, type RowOf } from './table';

/** The one conversation of a contact. */
const columns = {
  // Always equal to `contact_id`.
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  contact_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'contacts', key: 'id' },
    onDelete: 'CASCADE',
  }),
  conv_status: columnOf<ConvStatus>()({ type: DataTypes.STRING(16), allowNull: false, defaultValue: 'open' }),
  snoozed_until: column({ type: DataTypes.DATE(3), allowNull: true }),
  snooze_version: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  priority: columnOf<Priority>()({ type: DataTypes.STRING(16), allowNull: false, defaultValue: 'normal' }),
  assigned_member_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  assigned_team_inbox_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'team_inboxes', key: 'id' },
    onDelete: 'SET NULL',
  }),
  calling_permission: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  phone_number_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'SET NULL',
  }),
  unread_count: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  last_message_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  last_message_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  last_inbound_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  active_till: column({ type: DataTypes.DATE(3), allowNull: true }),
  first_response_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  resolved_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  sla_policy_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'sla_policies', key: 'id' },
    onDelete: 'SET NULL',
  }),
  sla_first_response_deadline: column({ type: DataTypes.DATE(3), allowNull: true }),
  sla_resolution_deadline: column({ type: DataTypes.DATE(3), allowNull: true }),
  sla_breached: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  sla_version: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  is_group: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  send_seq: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  sla_started_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  sla_responded_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  sla_stopped_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  pair_free_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  // When the customer, a person or an agent last wrote; broadcasts and stage notifications do not count.
  last_exchange_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  // When the customer first wrote after the last message by a person or an agent.
  unanswered_since: column({ type: DataTypes.DATE(3), allowNull: true }),
  wrote_while_snoozed: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  thread_owner: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: '' }),
  away_replied_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  thread_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  // Since when it waits for its team inbox to find a member; triggers set it (migration 14).
  queued_at: column({ type: DataTypes.DATE(3), allowNull: true }),
};

/** Columns of a row of `conversations`. */
export type ConversationRow = RowOf<typeof columns>;

/** Binds the table `conversations`. */
export const conversationTable = defineTable('Conversation', 'conversations', columns);
