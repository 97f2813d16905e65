import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable, type RowOf } from './table';

/** A message template as the upstream knows it. */
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
  template_id: column({ type: DataTypes.STRING(64), allowNull: false }),
  name: column({ type: DataTypes.STRING(512), allowNull: false }),
  language: column({ type: DataTypes.STRING(32), allowNull: false }),
  status: column({ type: DataTypes.STRING(32), allowNull: false }),
  category: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  components: column({ type: DataTypes.JSONB, allowNull: false, defaultValue: [] }),
  parameter_format: column({ type: DataTypes.STRING(16), allowNull: false, defaultValue: 'POSITIONAL' }),
  rejected_reason: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  quality_score: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  source_library_template: column({ type: DataTypes.INTEGER, allowNull: true }),
  status_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  category_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  quality_at: column({ type: DataTypes.DATE(3), allowNull: true }),
};

/** Columns of a row of `templates`. */
export type TemplateRow = RowOf<typeof columns>;

/** Binds the table `templates`. */
export const templateTable = defineTable('Template', 'templates', columns);
