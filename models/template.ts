import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A message template as the upstream knows it (specification 2.8). */
export interface TemplateRow {
  id: number;
  workspace_id: number;
  business_account_id: number;
  template_id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  components: unknown;
  parameter_format: string;
  rejected_reason: string;
  quality_score: string;
  source_library_template: number | null;
  status_at: Date | null;
  category_at: Date | null;
  quality_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `templates`. */
export const templateTable = defineTable<TemplateRow>('Template', 'templates', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  business_account_id: { type: DataTypes.INTEGER },
  template_id: { type: DataTypes.STRING(64) },
  name: { type: DataTypes.STRING(512) },
  language: { type: DataTypes.STRING(32) },
  status: { type: DataTypes.STRING(32) },
  category: { type: DataTypes.STRING(32) },
  components: { type: DataTypes.JSONB },
  parameter_format: { type: DataTypes.STRING(16) },
  rejected_reason: { type: DataTypes.STRING(255) },
  quality_score: { type: DataTypes.STRING(32) },
  source_library_template: { type: DataTypes.INTEGER, allowNull: true },
  status_at: { type: DataTypes.DATE(3), allowNull: true },
  category_at: { type: DataTypes.DATE(3), allowNull: true },
  quality_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
