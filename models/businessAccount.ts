import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** An upstream business account with its encrypted credentials. */
export interface BusinessAccountRow {
  id: number;
  workspace_id: number;
  account_id: string;
  name: string;
  access_token: string;
  app_secret: string;
  verify_token_hash: Buffer;
  stopped_at: Date | null;
  stopped_code: number | null;
  stopped_reason: string | null;
  synced_at: Date | null;
  resync_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `business_accounts`. */
export const businessAccountTable = defineTable<BusinessAccountRow>('BusinessAccount', 'business_accounts', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  account_id: { type: DataTypes.STRING(64) },
  name: { type: DataTypes.STRING(255) },
  access_token: { type: DataTypes.TEXT },
  app_secret: { type: DataTypes.TEXT },
  verify_token_hash: { type: DataTypes.BLOB },
  stopped_at: { type: DataTypes.DATE(3), allowNull: true },
  stopped_code: { type: DataTypes.INTEGER, allowNull: true },
  stopped_reason: { type: DataTypes.TEXT, allowNull: true },
  synced_at: { type: DataTypes.DATE(3), allowNull: true },
  resync_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
