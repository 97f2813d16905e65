import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A custom field that a workspace has defined. */
interface CustomFieldModel extends Model<InferAttributes<CustomFieldModel>, InferCreationAttributes<CustomFieldModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  name: string;
  label: string;
  field_type: 'text' | 'number' | 'boolean' | 'date' | 'select' | 'multi_select';
  applies_to: ('contacts' | 'conversations' | 'tickets')[];
  /** Empty unless the type is one of the select types. */
  options: CreationOptional<string[]>;
  /** Deleted, while its values are still being removed. */
  deleted_at: Date | null;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
}

/** Columns of a row of `custom_fields`. */
export type CustomFieldRow = InferAttributes<CustomFieldModel>;

/** Binds the table `custom_fields`. */
export const customFieldTable = defineTable<CustomFieldModel>('CustomField', 'custom_fields', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  name: { type: DataTypes.STRING(64), allowNull: false },
  label: { type: DataTypes.STRING(255), allowNull: false },
  field_type: { type: DataTypes.STRING(16), allowNull: false },
  applies_to: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
  options: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] },
  deleted_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
