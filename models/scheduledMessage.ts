import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { HeldReason, IfCustomerWrites } from './enums';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A message that is to be sent later, or is held: it becomes a row of `messages` under the same id. */
const columns = {
  id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    defaultValue: literal(`nextval((pg_get_serial_sequence('messages'::text, 'id'::text))::regclass)`),
  }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  conversation_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'conversations', key: 'id' },
    onDelete: 'CASCADE',
  }),
  phone_number_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'SET NULL',
  }),
  state: columnOf<'scheduled' | 'held'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    defaultValue: 'scheduled',
  }),
  send_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  if_customer_writes: columnOf<IfCustomerWrites>()({ type: DataTypes.STRING(8), allowNull: false }),
  held_reason: columnOf<HeldReason>()({ type: DataTypes.STRING(16), allowNull: true }),
  /** Counts the changes of its moment, for its timer. */
  version: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 }),
  type: column({ type: DataTypes.STRING(32), allowNull: false }),
  body: column({ type: DataTypes.JSONB, allowNull: false }),
  file_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  reply_to_wamid: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
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
  oauth_grant_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  approved_by_member_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  origin: column({ type: DataTypes.STRING(16), allowNull: false }),
  /** The rule that has scheduled it. */
  rule_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  dedupe_key: column({ type: DataTypes.STRING(160), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `scheduled_messages`. */
export type ScheduledMessageRow = RowOf<typeof columns>;

/** Binds the table `scheduled_messages`. */
export const scheduledMessageTable = defineTable('ScheduledMessage', 'scheduled_messages', columns);
