import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { BroadcastStatus } from './enums';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A bulk send of a template. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  name: column({ type: DataTypes.STRING(255), allowNull: false }),
  template_pk: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'templates', key: 'id' },
    onDelete: 'SET NULL',
  }),
  phone_number_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'SET NULL',
  }),
  audience: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false }),
  header_media_id: column({ type: DataTypes.STRING(36), allowNull: true }),
  template_variables: columnOf<Record<string, unknown>>()({
    type: DataTypes.JSONB,
    allowNull: false,
    defaultValue: {},
  }),
  status: columnOf<BroadcastStatus>()({ type: DataTypes.STRING(16), allowNull: false, defaultValue: 'draft' }),
  failure_reason: column({ type: DataTypes.TEXT, allowNull: false, defaultValue: '' }),
  scheduled_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  confirmed_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  started_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  resolved_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  completed_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  version: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  created_by_member_id: column({
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
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  rests_until: column({ type: DataTypes.DATE(3), allowNull: true }),
  moved_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  refused_code: column({ type: DataTypes.INTEGER, allowNull: true }),
  refused_title: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  refused_in_row: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  refused_only: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true }),
  paused_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  paused_tries: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  retry_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  template_takes: columnOf<Record<string, string> | null>()({ type: DataTypes.JSONB, allowNull: true }),
};

/** Columns of a row of `broadcasts`. */
export type BroadcastRow = RowOf<typeof columns>;

/** Binds the table `broadcasts`. */
export const broadcastTable = defineTable('Broadcast', 'broadcasts', columns);
