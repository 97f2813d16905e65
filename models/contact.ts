import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A customer of a workspace. */
interface ContactModel extends Model<InferAttributes<ContactModel>, InferCreationAttributes<ContactModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  receiver_id: string;
  phone: string | null;
  bsuid: string | null;
  name: CreationOptional<string>;
  email: CreationOptional<string>;
  company: CreationOptional<string>;
  notes: CreationOptional<string>;
  username: string | null;
  profile_picture: CreationOptional<string>;
  tags: CreationOptional<unknown>;
  custom_fields: CreationOptional<Record<string, unknown>>;
  attributes: CreationOptional<Record<string, unknown>>;
  ctwa_clid: CreationOptional<string>;
  ctwa_source_id: CreationOptional<string>;
  ctwa_source_url: CreationOptional<string>;
  ctwa_headline: CreationOptional<string>;
  ctwa_referral_at: Date | null;
  first_message_at: Date | null;
  marketing_opt_out: CreationOptional<boolean>;
  marketing_opt_out_at: Date | null;
  marketing_opt_out_source: 'keyword' | 'platform' | 'api' | 'member' | null;
  marketing_preference_at: Date | null;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
  identity_at: Date | null;
  profile_name_at: Date | null;
  username_at: Date | null;
}

/** Columns of a row of `contacts`. */
export type ContactRow = InferAttributes<ContactModel>;

/** Binds the table `contacts`. */
export const contactTable = defineTable<ContactModel>('Contact', 'contacts', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  receiver_id: { type: DataTypes.STRING(160), allowNull: false },
  phone: { type: DataTypes.STRING(32), allowNull: true },
  bsuid: { type: DataTypes.STRING(160), allowNull: true },
  name: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  email: { type: DataTypes.STRING(254), allowNull: false, defaultValue: '' },
  company: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  notes: { type: DataTypes.TEXT, allowNull: false, defaultValue: '' },
  username: { type: DataTypes.STRING(64), allowNull: true },
  profile_picture: { type: DataTypes.STRING(2048), allowNull: false, defaultValue: '' },
  tags: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
  custom_fields: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  attributes: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  ctwa_clid: { type: DataTypes.STRING(1024), allowNull: false, defaultValue: '' },
  ctwa_source_id: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  ctwa_source_url: { type: DataTypes.STRING(2048), allowNull: false, defaultValue: '' },
  ctwa_headline: { type: DataTypes.STRING(1024), allowNull: false, defaultValue: '' },
  ctwa_referral_at: { type: DataTypes.DATE(3), allowNull: true },
  first_message_at: { type: DataTypes.DATE(3), allowNull: true },
  marketing_opt_out: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  marketing_opt_out_at: { type: DataTypes.DATE(3), allowNull: true },
  marketing_opt_out_source: { type: DataTypes.STRING(16), allowNull: true },
  marketing_preference_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  identity_at: { type: DataTypes.DATE(3), allowNull: true },
  profile_name_at: { type: DataTypes.DATE(3), allowNull: true },
  username_at: { type: DataTypes.DATE(3), allowNull: true },
});
