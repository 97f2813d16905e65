import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A customer of a workspace (specification 2.1, contract C5). */
export interface ContactRow {
  id: number;
  workspace_id: number;
  receiver_id: string;
  phone: string | null;
  bsuid: string | null;
  name: string;
  email: string;
  company: string;
  notes: string;
  username: string | null;
  profile_picture: string;
  tags: unknown;
  custom_fields: Record<string, unknown>;
  attributes: Record<string, unknown>;
  ctwa_clid: string;
  ctwa_source_id: string;
  ctwa_source_url: string;
  ctwa_headline: string;
  ctwa_referral_at: Date | null;
  first_message_at: Date | null;
  marketing_opt_out: boolean;
  marketing_opt_out_at: Date | null;
  marketing_opt_out_source: 'keyword' | 'platform' | 'api' | 'member' | null;
  marketing_preference_at: Date | null;
  identity_at: Date | null;
  profile_name_at: Date | null;
  username_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `contacts`. */
export const contactTable = defineTable<ContactRow>('Contact', 'contacts', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  receiver_id: { type: DataTypes.STRING(160) },
  phone: { type: DataTypes.STRING(32), allowNull: true },
  bsuid: { type: DataTypes.STRING(160), allowNull: true },
  name: { type: DataTypes.STRING(255) },
  email: { type: DataTypes.STRING(254) },
  company: { type: DataTypes.STRING(255) },
  notes: { type: DataTypes.TEXT },
  username: { type: DataTypes.STRING(64), allowNull: true },
  profile_picture: { type: DataTypes.STRING(2048) },
  tags: { type: DataTypes.JSONB },
  custom_fields: { type: DataTypes.JSONB },
  attributes: { type: DataTypes.JSONB },
  ctwa_clid: { type: DataTypes.STRING(1024) },
  ctwa_source_id: { type: DataTypes.STRING(255) },
  ctwa_source_url: { type: DataTypes.STRING(2048) },
  ctwa_headline: { type: DataTypes.STRING(1024) },
  ctwa_referral_at: { type: DataTypes.DATE(3), allowNull: true },
  first_message_at: { type: DataTypes.DATE(3), allowNull: true },
  marketing_opt_out: { type: DataTypes.BOOLEAN },
  marketing_opt_out_at: { type: DataTypes.DATE(3), allowNull: true },
  marketing_opt_out_source: { type: DataTypes.STRING(16), allowNull: true },
  marketing_preference_at: { type: DataTypes.DATE(3), allowNull: true },
  identity_at: { type: DataTypes.DATE(3), allowNull: true },
  profile_name_at: { type: DataTypes.DATE(3), allowNull: true },
  username_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
