import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A phone number of a business account. */
interface PhoneNumberModel extends Model<InferAttributes<PhoneNumberModel>, InferCreationAttributes<PhoneNumberModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  business_account_id: number;
  phone_number_id: string;
  display_phone_number: CreationOptional<string>;
  verified_name: CreationOptional<string>;
  quality_rating: CreationOptional<string>;
  code_verification_status: CreationOptional<string>;
  messaging_limit_tier: CreationOptional<string>;
  throughput_mps: CreationOptional<number>;
  business_username: CreationOptional<string>;
  business_username_status: CreationOptional<string>;
  status: CreationOptional<string>;
  stopped_at: Date | null;
  stopped_code: number | null;
  stopped_reason: string | null;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
  username_at: Date | null;
  limit_at: Date | null;
}

/** Columns of a row of `phone_numbers`. */
export type PhoneNumberRow = InferAttributes<PhoneNumberModel>;

/** Binds the table `phone_numbers`. */
export const phoneNumberTable = defineTable<PhoneNumberModel>('PhoneNumber', 'phone_numbers', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  business_account_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'business_accounts', key: 'id' },
    onDelete: 'CASCADE',
  },
  phone_number_id: { type: DataTypes.STRING(64), allowNull: false },
  display_phone_number: { type: DataTypes.STRING(64), allowNull: false, defaultValue: '' },
  verified_name: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  quality_rating: { type: DataTypes.STRING(32), allowNull: false, defaultValue: '' },
  code_verification_status: { type: DataTypes.STRING(32), allowNull: false, defaultValue: '' },
  messaging_limit_tier: { type: DataTypes.STRING(32), allowNull: false, defaultValue: '' },
  throughput_mps: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 80 },
  business_username: { type: DataTypes.STRING(64), allowNull: false, defaultValue: '' },
  business_username_status: { type: DataTypes.STRING(32), allowNull: false, defaultValue: '' },
  status: { type: DataTypes.STRING(32), allowNull: false, defaultValue: '' },
  stopped_at: { type: DataTypes.DATE(3), allowNull: true },
  stopped_code: { type: DataTypes.INTEGER, allowNull: true },
  stopped_reason: { type: DataTypes.TEXT, allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  username_at: { type: DataTypes.DATE(3), allowNull: true },
  limit_at: { type: DataTypes.DATE(3), allowNull: true },
});
