import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A customer of a workspace. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  receiver_id: column({ type: DataTypes.STRING(160), allowNull: false }),
  phone: column({ type: DataTypes.STRING(32), allowNull: true }),
  bsuid: column({ type: DataTypes.STRING(160), allowNull: true }),
  name: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  email: column({ type: DataTypes.STRING(254), allowNull: false, defaultValue: '' }),
  company: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  notes: column({ type: DataTypes.TEXT, allowNull: false, defaultValue: '' }),
  username: column({ type: DataTypes.STRING(64), allowNull: true }),
  profile_picture: column({ type: DataTypes.STRING(2048), allowNull: false, defaultValue: '' }),
  tags: column({ type: DataTypes.JSONB, allowNull: false, defaultValue: [] }),
  custom_fields: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
  attributes: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
  ctwa_clid: column({ type: DataTypes.STRING(1024), allowNull: false, defaultValue: '' }),
  ctwa_source_id: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  ctwa_source_url: column({ type: DataTypes.STRING(2048), allowNull: false, defaultValue: '' }),
  ctwa_headline: column({ type: DataTypes.STRING(1024), allowNull: false, defaultValue: '' }),
  ctwa_referral_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  first_message_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  marketing_opt_out: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  marketing_opt_out_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  marketing_opt_out_source: columnOf<'keyword' | 'platform' | 'api' | 'member'>()({
    type: DataTypes.STRING(16),
    allowNull: true,
  }),
  marketing_preference_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  identity_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  profile_name_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  username_at: column({ type: DataTypes.DATE(3), allowNull: true }),
};

/** Columns of a row of `contacts`. */
export type ContactRow = RowOf<typeof columns>;

/** Binds the table `contacts`. */
export const contactTable = defineTable('Contact', 'contacts', columns);
