import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import type { ConvStatus, Priority } from './enums';
import { defineTable } from './table';

/** The one conversation of a contact. */
interface ConversationModel extends Model<
  InferAttributes<ConversationModel>,
  InferCreationAttributes<ConversationModel>
> {
  id: number;
  workspace_id: number;
  contact_id: number;
  conv_status: CreationOptional<ConvStatus>;
  snoozed_until: Date | null;
  snooze_version: CreationOptional<number>;
  priority: CreationOptional<Priority>;
  assigned_member_id: number | null;
  assigned_team_inbox_id: number | null;
  calling_permission: CreationOptional<boolean>;
  phone_number_id: number | null;
  unread_count: CreationOptional<number>;
  last_message_id: number | null;
  last_message_at: Date | null;
  last_inbound_at: Date | null;
  active_till: Date | null;
  first_response_at: Date | null;
  resolved_at: Date | null;
  sla_policy_id: number | null;
  sla_first_response_deadline: Date | null;
  sla_resolution_deadline: Date | null;
  sla_breached: CreationOptional<boolean>;
  sla_version: CreationOptional<number>;
  is_group: CreationOptional<boolean>;
  send_seq: CreationOptional<number>;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
  sla_started_at: Date | null;
  sla_responded_at: Date | null;
  sla_stopped_at: Date | null;
  pair_free_at: Date | null;
  last_exchange_at: Date | null;
  unanswered_since: Date | null;
  wrote_while_snoozed: CreationOptional<boolean>;
}

/** Columns of a row of `conversations`. */
export type ConversationRow = InferAttributes<ConversationModel>;

/** Binds the table `conversations`. */
export const conversationTable = defineTable<ConversationModel>('Conversation', 'conversations', {
  // The contact's own: one person, one number.
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  contact_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'contacts', key: 'id' },
    onDelete: 'CASCADE',
  },
  conv_status: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'open' },
  snoozed_until: { type: DataTypes.DATE(3), allowNull: true },
  snooze_version: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  priority: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'normal' },
  assigned_member_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  assigned_team_inbox_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'team_inboxes', key: 'id' },
    onDelete: 'SET NULL',
  },
  calling_permission: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  phone_number_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'SET NULL',
  },
  unread_count: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  last_message_id: { type: DataTypes.BIGINT, allowNull: true },
  last_message_at: { type: DataTypes.DATE(3), allowNull: true },
  last_inbound_at: { type: DataTypes.DATE(3), allowNull: true },
  active_till: { type: DataTypes.DATE(3), allowNull: true },
  first_response_at: { type: DataTypes.DATE(3), allowNull: true },
  resolved_at: { type: DataTypes.DATE(3), allowNull: true },
  sla_policy_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'sla_policies', key: 'id' },
    onDelete: 'SET NULL',
  },
  sla_first_response_deadline: { type: DataTypes.DATE(3), allowNull: true },
  sla_resolution_deadline: { type: DataTypes.DATE(3), allowNull: true },
  sla_breached: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  sla_version: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  is_group: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  send_seq: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  sla_started_at: { type: DataTypes.DATE(3), allowNull: true },
  sla_responded_at: { type: DataTypes.DATE(3), allowNull: true },
  sla_stopped_at: { type: DataTypes.DATE(3), allowNull: true },
  pair_free_at: { type: DataTypes.DATE(3), allowNull: true },
  // Of the last message by the customer, a person or an agent; broadcasts and stage notifications do not count.
  last_exchange_at: { type: DataTypes.DATE(3), allowNull: true },
  // Of the customer's first message after the last one by a person or an agent.
  unanswered_since: { type: DataTypes.DATE(3), allowNull: true },
  wrote_while_snoozed: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
});
