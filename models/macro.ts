import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A saved bundle of actions (specification 2.10). */
export interface MacroRow {
  id: number;
  workspace_id: number;
  name: string;
  description: string;
  actions: unknown;
  created_by_id: number | null;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `macros`. */
export const macroTable = defineTable<MacroRow>('Macro', 'macros', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  name: { type: DataTypes.STRING(255) },
  description: { type: DataTypes.TEXT },
  actions: { type: DataTypes.JSONB },
  created_by_id: { type: DataTypes.INTEGER, allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
