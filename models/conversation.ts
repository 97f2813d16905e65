import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** The one conversation of a contact (specification 2.2, 3.1). */
export interface ConversationRow {
  id: number;
  workspace_id: number;
  contact_id: number;
  conv_status: 'open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted';
  snoozed_until: Date | null;
  snooze_version: number;
  priority: 'low' | 'normal' | 'high' | 'urgent';
  assigned_member_id: number | null;
  assigned_team_inbox_id: number | null;
  calling_permission: boolean;
  phone_number_id: number | null;
  unread_count: number;
  last_message_id: number | null;
  last_message_at: Date | null;
  last_inbound_at: Date | null;
  active_till: Date | null;
  first_response_at: Date | null;
  resolved_at: Date | null;
  sla_policy_id: number | null;
  sla_first_response_deadline: Date | null;
  sla_resolution_deadline: Date | null;
  sla_breached: boolean;
  sla_version: number;
  sla_started_at: Date | null;
  sla_responded_at: Date | null;
  sla_stopped_at: Date | null;
  is_group: boolean;
  send_seq: number;
  pair_free_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `conversations`. */
export const conversationTable = defineTable<ConversationRow>('Conversation', 'conversations', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  contact_id: { type: DataTypes.INTEGER },
  conv_status: { type: DataTypes.STRING(16) },
  snoozed_until: { type: DataTypes.DATE(3), allowNull: true },
  snooze_version: { type: DataTypes.INTEGER },
  priority: { type: DataTypes.STRING(16) },
  assigned_member_id: { type: DataTypes.INTEGER, allowNull: true },
  assigned_team_inbox_id: { type: DataTypes.INTEGER, allowNull: true },
  calling_permission: { type: DataTypes.BOOLEAN },
  phone_number_id: { type: DataTypes.INTEGER, allowNull: true },
  unread_count: { type: DataTypes.INTEGER },
  last_message_id: { type: DataTypes.INTEGER, allowNull: true },
  last_message_at: { type: DataTypes.DATE(3), allowNull: true },
  last_inbound_at: { type: DataTypes.DATE(3), allowNull: true },
  active_till: { type: DataTypes.DATE(3), allowNull: true },
  first_response_at: { type: DataTypes.DATE(3), allowNull: true },
  resolved_at: { type: DataTypes.DATE(3), allowNull: true },
  sla_policy_id: { type: DataTypes.INTEGER, allowNull: true },
  sla_first_response_deadline: { type: DataTypes.DATE(3), allowNull: true },
  sla_resolution_deadline: { type: DataTypes.DATE(3), allowNull: true },
  sla_breached: { type: DataTypes.BOOLEAN },
  sla_version: { type: DataTypes.INTEGER },
  sla_started_at: { type: DataTypes.DATE(3), allowNull: true },
  sla_responded_at: { type: DataTypes.DATE(3), allowNull: true },
  sla_stopped_at: { type: DataTypes.DATE(3), allowNull: true },
  is_group: { type: DataTypes.BOOLEAN },
  send_seq: { type: DataTypes.INTEGER },
  pair_free_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
