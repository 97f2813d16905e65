import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** One run of a macro: `pending` is left exactly once (contract C10). */
export interface MacroRunRow {
  id: number;
  workspace_id: number;
  macro_id: number | null;
  /** The actions as they were when the run was asked for. */
  actions: unknown;
  conversation_id: number | null;
  ticket_id: number | null;
  state: 'pending' | 'applied' | 'failed' | 'abandoned';
  ran: { type: string; detail: string }[] | null;
  failed_step: { index: number; type: string; message: string } | null;
  run_key: Buffer | null;
  actor_type: 'member' | 'api_key' | 'agent' | 'system' | 'contact';
  actor_member_id: number | null;
  api_key_id: number | null;
  request_id: string | null;
  created_at: Date;
  finished_at: Date | null;
}

/** Binds the table `macro_runs`. */
export const macroRunTable = defineTable<MacroRunRow>('MacroRun', 'macro_runs', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  macro_id: { type: DataTypes.INTEGER, allowNull: true },
  actions: { type: DataTypes.JSONB },
  conversation_id: { type: DataTypes.INTEGER, allowNull: true },
  ticket_id: { type: DataTypes.INTEGER, allowNull: true },
  state: { type: DataTypes.STRING(16) },
  ran: { type: DataTypes.JSONB, allowNull: true },
  failed_step: { type: DataTypes.JSONB, allowNull: true },
  run_key: { type: DataTypes.BLOB, allowNull: true },
  actor_type: { type: DataTypes.STRING(16) },
  actor_member_id: { type: DataTypes.INTEGER, allowNull: true },
  api_key_id: { type: DataTypes.INTEGER, allowNull: true },
  request_id: { type: DataTypes.STRING(128), allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
  finished_at: { type: DataTypes.DATE(3), allowNull: true },
});
