import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A custom field that a workspace has defined (specification 2.11, contract C5). */
export interface CustomFieldRow {
  id: number;
  workspace_id: number;
  name: string;
  label: string;
  field_type: 'text' | 'number' | 'boolean' | 'date' | 'select' | 'multi_select';
  applies_to: ('contacts' | 'conversations' | 'tickets')[];
  /** Empty unless the type is one of the select types. */
  options: string[];
  /** Deleted, while its values are still being removed. */
  deleted_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `custom_fields`. */
export const customFieldTable = defineTable<CustomFieldRow>('CustomField', 'custom_fields', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  name: { type: DataTypes.STRING(64) },
  label: { type: DataTypes.STRING(255) },
  field_type: { type: DataTypes.STRING(16) },
  applies_to: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  options: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  deleted_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
