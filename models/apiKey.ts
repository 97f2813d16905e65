import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** An API key: SHA-256 of the secret, granted scopes, agent autonomy. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  name: column({ type: DataTypes.STRING(255), allowNull: false }),
  prefix: column({ type: DataTypes.STRING(40), allowNull: false }),
  secret_hash: column({ type: DataTypes.BLOB, allowNull: false }),
  scopes: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] }),
  autonomy: columnOf<'draft' | 'approval' | 'autonomous'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    defaultValue: 'autonomous',
  }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  last_used_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  expires_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  revoked_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  /** Addresses and networks that may use it; none: all. */
  allowed_addresses: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] }),
  /** Whether it reads what members write for each other. */
  notes: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
};

/** Columns of a row of `api_keys`. */
export type ApiKeyRow = RowOf<typeof columns>;

/** Binds the table `api_keys`. */
export const apiKeyTable = defineTable('ApiKey', 'api_keys', columns);
