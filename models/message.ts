import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A message and the state of its delivery. */
interface MessageModel extends Model<InferAttributes<MessageModel>, InferCreationAttributes<MessageModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  conversation_id: number;
  phone_number_id: number | null;
  direction: 'inbound' | 'outbound';
  type: string;
  body: unknown;
  message_status: 'received' | 'queued' | 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'unknown';
  wamid: string | null;
  reply_to_wamid: CreationOptional<string>;
  referred_product: unknown;
  payment_status: CreationOptional<string>;
  pricing_category: CreationOptional<string>;
  error_code: number | null;
  error_title: CreationOptional<string>;
  error_message: CreationOptional<string>;
  read: CreationOptional<boolean>;
  is_import_placeholder: CreationOptional<boolean>;
  group_info: unknown;
  context: unknown;
  template_pk: number | null;
  sent_by_member_id: number | null;
  api_key_id: number | null;
  origin: CreationOptional<string>;
  dedupe_key: string | null;
  delivery_state: CreationOptional<'none' | 'queued' | 'sending' | 'settled'>;
  opaque: string | null;
  send_seq: number | null;
  attempts: CreationOptional<number>;
  next_attempt_at: Date | null;
  slot_at: Date | null;
  look_at: CreationOptional<Date>;
  claim_expires_at: Date | null;
  deliver_by: Date | null;
  unknown_intake_ms: number | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  failed_at: Date | null;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
  broadcast_id: number | null;
  broadcast_position: number | null;
  oauth_grant_id: number | null;
  approved_by_member_id: number | null;
  pricing: unknown;
  delivery_note: CreationOptional<string>;
}

/** Columns of a row of `messages`. */
export type MessageRow = InferAttributes<MessageModel>;

/** Binds the table `messages`. */
export const messageTable = defineTable<MessageModel>('Message', 'messages', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  conversation_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'conversations', key: 'id' },
    onDelete: 'CASCADE',
  },
  phone_number_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'SET NULL',
  },
  direction: { type: DataTypes.STRING(8), allowNull: false },
  type: { type: DataTypes.STRING(32), allowNull: false },
  body: { type: DataTypes.JSONB, allowNull: false },
  message_status: { type: DataTypes.STRING(16), allowNull: false },
  wamid: { type: DataTypes.STRING(255), allowNull: true },
  reply_to_wamid: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  referred_product: { type: DataTypes.JSONB, allowNull: true },
  payment_status: { type: DataTypes.STRING(32), allowNull: false, defaultValue: '' },
  pricing_category: { type: DataTypes.STRING(64), allowNull: false, defaultValue: '' },
  error_code: { type: DataTypes.INTEGER, allowNull: true },
  error_title: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  error_message: { type: DataTypes.TEXT, allowNull: false, defaultValue: '' },
  read: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  is_import_placeholder: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  group_info: { type: DataTypes.JSONB, allowNull: true },
  context: { type: DataTypes.JSONB, allowNull: true },
  template_pk: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'templates', key: 'id' },
    onDelete: 'SET NULL',
  },
  sent_by_member_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  api_key_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'api_keys', key: 'id' },
    onDelete: 'SET NULL',
  },
  origin: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'api' },
  dedupe_key: { type: DataTypes.STRING(160), allowNull: true },
  delivery_state: { type: DataTypes.STRING(8), allowNull: false, defaultValue: 'none' },
  opaque: { type: DataTypes.UUID, allowNull: true },
  send_seq: { type: DataTypes.INTEGER, allowNull: true },
  attempts: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  next_attempt_at: { type: DataTypes.DATE(3), allowNull: true },
  slot_at: { type: DataTypes.DATE(3), allowNull: true },
  look_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal("(now() + '00:00:02'::interval)") },
  claim_expires_at: { type: DataTypes.DATE(3), allowNull: true },
  deliver_by: { type: DataTypes.DATE(3), allowNull: true },
  unknown_intake_ms: { type: DataTypes.BIGINT, allowNull: true },
  sent_at: { type: DataTypes.DATE(3), allowNull: true },
  delivered_at: { type: DataTypes.DATE(3), allowNull: true },
  read_at: { type: DataTypes.DATE(3), allowNull: true },
  failed_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  broadcast_id: { type: DataTypes.BIGINT, allowNull: true },
  broadcast_position: { type: DataTypes.INTEGER, allowNull: true },
  // No foreign keys: a grant or member that goes would be looked for in all messages; their names are joined.
  oauth_grant_id: { type: DataTypes.BIGINT, allowNull: true },
  approved_by_member_id: { type: DataTypes.BIGINT, allowNull: true },
  pricing: { type: DataTypes.JSONB, allowNull: true },
  delivery_note: { type: DataTypes.STRING(32), allowNull: false, defaultValue: '' },
});
