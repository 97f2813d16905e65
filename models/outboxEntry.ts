import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** An intent that must still reach the workflow engine (architecture.md 4). */
export interface OutboxEntryRow {
  id: number;
  workspace_id: number;
  workflow: string;
  workflow_id: string;
  signal: string | null;
  version: number;
  input: Record<string, unknown>;
  attempts: number;
  available_at: Date;
  created_at: Date;
}

/** Binds the table `outbox`. */
export const outboxEntryTable = defineTable<OutboxEntryRow>('OutboxEntry', 'outbox', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  workflow: { type: DataTypes.STRING(64) },
  workflow_id: { type: DataTypes.STRING(200) },
  signal: { type: DataTypes.STRING(64), allowNull: true },
  version: { type: DataTypes.INTEGER },
  input: { type: DataTypes.JSONB },
  attempts: { type: DataTypes.INTEGER },
  available_at: { type: DataTypes.DATE(3) },
  created_at: { type: DataTypes.DATE(3) },
});
