import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** Targets of a workspace for first response and resolution (contract C8). */
export interface SlaPolicyRow {
  id: number;
  workspace_id: number;
  name: string;
  first_response_minutes: number | null;
  resolution_minutes: number | null;
  applies_to: string[];
  is_default: boolean;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `sla_policies`. */
export const slaPolicyTable = defineTable<SlaPolicyRow>('SlaPolicy', 'sla_policies', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  name: { type: DataTypes.STRING(255) },
  first_response_minutes: { type: DataTypes.INTEGER, allowNull: true },
  resolution_minutes: { type: DataTypes.INTEGER, allowNull: true },
  applies_to: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  is_default: { type: DataTypes.BOOLEAN },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
