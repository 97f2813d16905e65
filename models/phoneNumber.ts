import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable, type RowOf } from './table';

/** A phone number of a business account. */
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
  phone_number_id: column({ type: DataTypes.STRING(64), allowNull: false }),
  display_phone_number: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: '' }),
  verified_name: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  quality_rating: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  code_verification_status: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  messaging_limit_tier: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  throughput_mps: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 80 }),
  business_username: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: '' }),
  business_username_status: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  status: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  stopped_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  stopped_code: column({ type: DataTypes.INTEGER, allowNull: true }),
  stopped_reason: column({ type: DataTypes.TEXT, allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  username_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  limit_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  resumed_at: column({ type: DataTypes.DATE(3), allowNull: true }),
};

/** Columns of a row of `phone_numbers`. */
export type PhoneNumberRow = RowOf<typeof columns>;

/** Binds the table `phone_numbers`. */
export const phoneNumberTable = defineTable('PhoneNumber', 'phone_numbers', columns);
