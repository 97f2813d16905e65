import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A message and the state of its delivery (specification 2.3, contract C6). */
export interface MessageRow {
  id: number;
  workspace_id: number;
  conversation_id: number;
  phone_number_id: number | null;
  direction: 'inbound' | 'outbound';
  type: string;
  body: unknown;
  message_status: 'received' | 'queued' | 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'unknown';
  wamid: string | null;
  reply_to_wamid: string;
  referred_product: unknown;
  payment_status: string;
  pricing_category: string;
  error_code: number | null;
  error_title: string;
  error_message: string;
  read: boolean;
  is_import_placeholder: boolean;
  group_info: unknown;
  context: unknown;
  template_pk: number | null;
  sent_by_member_id: number | null;
  api_key_id: number | null;
  origin: string;
  dedupe_key: string | null;
  delivery_state: 'none' | 'queued' | 'sending' | 'settled';
  opaque: string | null;
  send_seq: number | null;
  attempts: number;
  next_attempt_at: Date | null;
  claim_expires_at: Date | null;
  deliver_by: Date | null;
  unknown_intake_ms: number | null;
  broadcast_id: number | null;
  broadcast_position: number | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  failed_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `messages`. */
export const messageTable = defineTable<MessageRow>('Message', 'messages', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  conversation_id: { type: DataTypes.INTEGER },
  phone_number_id: { type: DataTypes.INTEGER, allowNull: true },
  direction: { type: DataTypes.STRING(8) },
  type: { type: DataTypes.STRING(32) },
  body: { type: DataTypes.JSONB },
  message_status: { type: DataTypes.STRING(16) },
  wamid: { type: DataTypes.STRING(255), allowNull: true },
  reply_to_wamid: { type: DataTypes.STRING(255) },
  referred_product: { type: DataTypes.JSONB, allowNull: true },
  payment_status: { type: DataTypes.STRING(32) },
  pricing_category: { type: DataTypes.STRING(64) },
  error_code: { type: DataTypes.INTEGER, allowNull: true },
  error_title: { type: DataTypes.STRING(255) },
  error_message: { type: DataTypes.TEXT },
  read: { type: DataTypes.BOOLEAN },
  is_import_placeholder: { type: DataTypes.BOOLEAN },
  group_info: { type: DataTypes.JSONB, allowNull: true },
  context: { type: DataTypes.JSONB, allowNull: true },
  template_pk: { type: DataTypes.INTEGER, allowNull: true },
  sent_by_member_id: { type: DataTypes.INTEGER, allowNull: true },
  api_key_id: { type: DataTypes.INTEGER, allowNull: true },
  origin: { type: DataTypes.STRING(16) },
  dedupe_key: { type: DataTypes.STRING(160), allowNull: true },
  delivery_state: { type: DataTypes.STRING(8) },
  opaque: { type: DataTypes.UUID, allowNull: true },
  send_seq: { type: DataTypes.INTEGER, allowNull: true },
  attempts: { type: DataTypes.INTEGER },
  next_attempt_at: { type: DataTypes.DATE(3), allowNull: true },
  claim_expires_at: { type: DataTypes.DATE(3), allowNull: true },
  deliver_by: { type: DataTypes.DATE(3), allowNull: true },
  unknown_intake_ms: { type: DataTypes.BIGINT, allowNull: true },
  broadcast_id: { type: DataTypes.INTEGER, allowNull: true },
  broadcast_position: { type: DataTypes.INTEGER, allowNull: true },
  sent_at: { type: DataTypes.DATE(3), allowNull: true },
  delivered_at: { type: DataTypes.DATE(3), allowNull: true },
  read_at: { type: DataTypes.DATE(3), allowNull: true },
  failed_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
