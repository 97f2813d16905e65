import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A status webhook that waits for its message (contract C7). */
export interface ParkedStatusRow {
  id: number;
  workspace_id: number;
  wamid: string;
  payload: unknown;
  created_at: Date;
}

/** Binds the table `parked_statuses`. */
export const parkedStatusTable = defineTable<ParkedStatusRow>('ParkedStatus', 'parked_statuses', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  wamid: { type: DataTypes.STRING(255) },
  payload: { type: DataTypes.JSONB },
  created_at: { type: DataTypes.DATE(3) },
});
