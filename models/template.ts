import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A message template as the upstream knows it. */
interface TemplateModel extends Model<InferAttributes<TemplateModel>, InferCreationAttributes<TemplateModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  business_account_id: number;
  template_id: string;
  name: string;
  language: string;
  status: string;
  category: CreationOptional<string>;
  components: CreationOptional<unknown>;
  parameter_format: CreationOptional<string>;
  rejected_reason: CreationOptional<string>;
  quality_score: CreationOptional<string>;
  source_library_template: number | null;
  status_at: Date | null;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
  category_at: Date | null;
  quality_at: Date | null;
}

/** Columns of a row of `templates`. */
export type TemplateRow = InferAttributes<TemplateModel>;

/** Binds the table `templates`. */
export const templateTable = defineTable<TemplateModel>('Template', 'templates', {
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
  template_id: { type: DataTypes.STRING(64), allowNull: false },
  name: { type: DataTypes.STRING(512), allowNull: false },
  language: { type: DataTypes.STRING(32), allowNull: false },
  status: { type: DataTypes.STRING(32), allowNull: false },
  category: { type: DataTypes.STRING(32), allowNull: false, defaultValue: '' },
  components: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
  parameter_format: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'POSITIONAL' },
  rejected_reason: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  quality_score: { type: DataTypes.STRING(32), allowNull: false, defaultValue: '' },
  source_library_template: { type: DataTypes.INTEGER, allowNull: true },
  status_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  category_at: { type: DataTypes.DATE(3), allowNull: true },
  quality_at: { type: DataTypes.DATE(3), allowNull: true },
});
