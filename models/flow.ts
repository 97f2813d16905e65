import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** The stored copy of a flow of the upstream. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  business_account_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'business_accounts', key: 'id' },
    onDelete: 'CASCADE',
  }),
  flow_id: column({ type: DataTypes.STRING(64), allowNull: false }),
  name: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  status: column({ type: DataTypes.STRING(16), allowNull: false }),
  categories: column({ type: DataTypes.JSONB, allowNull: false, defaultValue: [] }),
  validation_errors: column({ type: DataTypes.JSONB, allowNull: false, defaultValue: [] }),
  json_version: column({ type: DataTypes.STRING(16), allowNull: false, defaultValue: '' }),
  data_api_version: column({ type: DataTypes.STRING(16), allowNull: false, defaultValue: '' }),
  endpoint_uri: column({ type: DataTypes.STRING(2048), allowNull: false, defaultValue: '' }),
  preview_url: column({ type: DataTypes.STRING(512), allowNull: false, defaultValue: '' }),
  preview_expires_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  flow_json: column({ type: DataTypes.JSONB, allowNull: true }),
  changed_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  json_changed_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  alerts: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
  status_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  synced_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  gone_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `flows`. */
export type FlowRow = RowOf<typeof columns>;

/** Binds the table `flows`. */
export const flowTable = defineTable('Flow', 'flows', columns);
