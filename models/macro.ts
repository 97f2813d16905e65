import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A saved bundle of actions. */
interface MacroModel extends Model<InferAttributes<MacroModel>, InferCreationAttributes<MacroModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  name: string;
  description: CreationOptional<string>;
  actions: unknown;
  created_by_id: number | null;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
}

/** Columns of a row of `macros`. */
export type MacroRow = InferAttributes<MacroModel>;

/** Binds the table `macros`. */
export const macroTable = defineTable<MacroModel>('Macro', 'macros', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  name: { type: DataTypes.STRING(255), allowNull: false },
  description: { type: DataTypes.TEXT, allowNull: false, defaultValue: '' },
  actions: { type: DataTypes.JSONB, allowNull: false },
  created_by_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
