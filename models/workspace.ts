import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A tenant: everything below belongs to exactly one (specification 1). */
export interface WorkspaceRow {
  id: number;
  name: string;
  timezone: string;
  plan: string | null;
  trial_ends_at: Date | null;
  ticketing: boolean;
  opt_out_words: string[];
  opt_in_words: string[];
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `workspaces`. */
export const workspaceTable = defineTable<WorkspaceRow>('Workspace', 'workspaces', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  name: { type: DataTypes.STRING(255) },
  timezone: { type: DataTypes.STRING(64) },
  plan: { type: DataTypes.STRING(64), allowNull: true },
  trial_ends_at: { type: DataTypes.DATE(3), allowNull: true },
  ticketing: { type: DataTypes.BOOLEAN },
  opt_out_words: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  opt_in_words: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
