import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A phone number of a business account (specification 2.3). */
export interface PhoneNumberRow {
  id: number;
  workspace_id: number;
  business_account_id: number;
  phone_number_id: string;
  display_phone_number: string;
  verified_name: string;
  quality_rating: string;
  code_verification_status: string;
  messaging_limit_tier: string;
  throughput_mps: number;
  business_username: string;
  business_username_status: string;
  username_at: Date | null;
  limit_at: Date | null;
  status: string;
  stopped_at: Date | null;
  stopped_code: number | null;
  stopped_reason: string | null;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `phone_numbers`. */
export const phoneNumberTable = defineTable<PhoneNumberRow>('PhoneNumber', 'phone_numbers', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  business_account_id: { type: DataTypes.INTEGER },
  phone_number_id: { type: DataTypes.STRING(64) },
  display_phone_number: { type: DataTypes.STRING(64) },
  verified_name: { type: DataTypes.STRING(255) },
  quality_rating: { type: DataTypes.STRING(32) },
  code_verification_status: { type: DataTypes.STRING(32) },
  messaging_limit_tier: { type: DataTypes.STRING(32) },
  throughput_mps: { type: DataTypes.INTEGER },
  business_username: { type: DataTypes.STRING(64) },
  business_username_status: { type: DataTypes.STRING(32) },
  username_at: { type: DataTypes.DATE(3), allowNull: true },
  limit_at: { type: DataTypes.DATE(3), allowNull: true },
  status: { type: DataTypes.STRING(32) },
  stopped_at: { type: DataTypes.DATE(3), allowNull: true },
  stopped_code: { type: DataTypes.INTEGER, allowNull: true },
  stopped_reason: { type: DataTypes.TEXT, allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
