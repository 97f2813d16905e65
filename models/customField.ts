import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A custom field that a workspace has defined. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  name: column({ type: DataTypes.STRING(64), allowNull: false }),
  label: column({ type: DataTypes.STRING(255), allowNull: false }),
  field_type: columnOf<'text' | 'number' | 'boolean' | 'date' | 'select' | 'multi_select'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
  }),
  applies_to: columnOf<('contacts' | 'conversations' | 'tickets')[]>()({
    type: DataTypes.ARRAY(DataTypes.TEXT),
    allowNull: false,
  }),
  /** Empty unless the type is one of the select types. */
  options: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] }),
  /** Deleted, while its values are still being removed. */
  deleted_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `custom_fields`. */
export type CustomFieldRow = RowOf<typeof columns>;

/** Binds the table `custom_fields`. */
export const customFieldTable = defineTable('CustomField', 'custom_fields', columns);
