import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** An upstream business account with its encrypted credentials. */
interface BusinessAccountModel extends Model<
  InferAttributes<BusinessAccountModel>,
  InferCreationAttributes<BusinessAccountModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  account_id: string;
  name: CreationOptional<string>;
  access_token: string;
  app_secret: string;
  verify_token_hash: Buffer;
  stopped_at: Date | null;
  stopped_code: number | null;
  stopped_reason: string | null;
  synced_at: Date | null;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
  resync_at: Date | null;
  catalogue_synced_at: Date | null;
  payment_refused_at: Date | null;
}

/** Columns of a row of `business_accounts`. */
export type BusinessAccountRow = InferAttributes<BusinessAccountModel>;

/** Binds the table `business_accounts`. */
export const businessAccountTable = defineTable<BusinessAccountModel>('BusinessAccount', 'business_accounts', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  account_id: { type: DataTypes.STRING(64), allowNull: false },
  name: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  access_token: { type: DataTypes.TEXT, allowNull: false },
  app_secret: { type: DataTypes.TEXT, allowNull: false },
  verify_token_hash: { type: DataTypes.BLOB, allowNull: false },
  stopped_at: { type: DataTypes.DATE(3), allowNull: true },
  stopped_code: { type: DataTypes.INTEGER, allowNull: true },
  stopped_reason: { type: DataTypes.TEXT, allowNull: true },
  synced_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  resync_at: { type: DataTypes.DATE(3), allowNull: true },
  catalogue_synced_at: { type: DataTypes.DATE(3), allowNull: true },
  payment_refused_at: { type: DataTypes.DATE(3), allowNull: true },
});
