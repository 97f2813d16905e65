import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable, type RowOf } from './table';

/** An upstream business account with its encrypted credentials. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  account_id: column({ type: DataTypes.STRING(64), allowNull: false }),
  name: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  access_token: column({ type: DataTypes.TEXT, allowNull: false }),
  app_secret: column({ type: DataTypes.TEXT, allowNull: false }),
  verify_token_hash: column({ type: DataTypes.BLOB, allowNull: false }),
  stopped_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  stopped_code: column({ type: DataTypes.INTEGER, allowNull: true }),
  stopped_reason: column({ type: DataTypes.TEXT, allowNull: true }),
  synced_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  resync_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  catalogue_synced_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  read_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  payment_refused_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  resumed_at: column({ type: DataTypes.DATE(3), allowNull: true }),
};

/** Columns of a row of `business_accounts`. */
export type BusinessAccountRow = RowOf<typeof columns>;

/** Binds the table `business_accounts`. */
export const businessAccountTable = defineTable('BusinessAccount', 'business_accounts', columns);
