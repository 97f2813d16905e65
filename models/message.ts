import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A message and the state of its delivery. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  /** Of a conversation, or of one that is gone and stands in `left_histories`. */
  conversation_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  phone_number_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'SET NULL',
  }),
  direction: columnOf<'inbound' | 'outbound'>()({ type: DataTypes.STRING(8), allowNull: false }),
  type: column({ type: DataTypes.STRING(32), allowNull: false }),
  body: column({ type: DataTypes.JSONB, allowNull: false }),
  message_status: columnOf<'received' | 'queued' | 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'unknown'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
  }),
  wamid: column({ type: DataTypes.STRING(255), allowNull: true }),
  reply_to_wamid: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  referred_product: column({ type: DataTypes.JSONB, allowNull: true }),
  payment_status: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  pricing_category: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: '' }),
  error_code: column({ type: DataTypes.INTEGER, allowNull: true }),
  error_title: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  error_message: column({ type: DataTypes.TEXT, allowNull: false, defaultValue: '' }),
  read: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  is_import_placeholder: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  group_info: column({ type: DataTypes.JSONB, allowNull: true }),
  context: column({ type: DataTypes.JSONB, allowNull: true }),
  template_pk: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'templates', key: 'id' },
    onDelete: 'SET NULL',
  }),
  sent_by_member_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  api_key_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'api_keys', key: 'id' },
    onDelete: 'SET NULL',
  }),
  origin: column({ type: DataTypes.STRING(16), allowNull: false, defaultValue: 'api' }),
  dedupe_key: column({ type: DataTypes.STRING(160), allowNull: true }),
  delivery_state: columnOf<'none' | 'queued' | 'sending' | 'settled'>()({
    type: DataTypes.STRING(8),
    allowNull: false,
    defaultValue: 'none',
  }),
  opaque: column({ type: DataTypes.UUID, allowNull: true }),
  send_seq: column({ type: DataTypes.INTEGER, allowNull: true }),
  attempts: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  /** Of those, how many ended before the call, because the file was not at the platform yet. */
  file_waits: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  next_attempt_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  slot_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  look_at: column({
    type: DataTypes.DATE(3),
    allowNull: false,
    defaultValue: literal("(now() + '00:00:02'::interval)"),
  }),
  claim_expires_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  deliver_by: column({ type: DataTypes.DATE(3), allowNull: true }),
  unknown_intake_ms: column({ type: DataTypes.BIGINT, allowNull: true }),
  sent_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  delivered_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  read_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  failed_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  broadcast_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  broadcast_position: column({ type: DataTypes.INTEGER, allowNull: true }),
  // No foreign keys: deleting a grant or member would search all messages. Their names are joined when messages are
  // read.
  oauth_grant_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  approved_by_member_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  /** Of the rule that sent it. */
  rule_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  pricing: column({ type: DataTypes.JSONB, allowNull: true }),
  standby: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  delivery_note: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  file_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  flow_button: column({ type: DataTypes.JSONB, allowNull: true }),
  edited_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  edits: column({ type: DataTypes.JSONB, allowNull: false, defaultValue: [] }),
  deleted_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  /** What its template says, as it was when the message was accepted, with the values filled in. */
  said: column({ type: DataTypes.TEXT, allowNull: true }),
};

/** Columns of a row of `messages`. */
export type MessageRow = RowOf<typeof columns>;

/** Binds the table `messages`. */
export const messageTable = defineTable('Message', 'messages', columns);
