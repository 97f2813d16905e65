import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** One run of a macro: `pending` is left exactly once. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  macro_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'macros', key: 'id' },
    onDelete: 'SET NULL',
  }),
  /** The actions as they were when the run was asked for. */
  actions: column({ type: DataTypes.JSONB, allowNull: false }),
  conversation_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  ticket_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  state: columnOf<'pending' | 'applied' | 'failed' | 'abandoned'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    defaultValue: 'pending',
  }),
  ran: columnOf<{ type: string; detail: string }[]>()({ type: DataTypes.JSONB, allowNull: true }),
  /** `code` is a word of `errorCodes`; earlier versions did not store it. */
  failed_step: columnOf<{ index: number; type: string; message: string; code?: string }>()({
    type: DataTypes.JSONB,
    allowNull: true,
  }),
  run_key: column({ type: DataTypes.BLOB, allowNull: true }),
  actor_type: columnOf<'member' | 'api_key' | 'agent' | 'system' | 'contact'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
  }),
  actor_member_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  api_key_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  oauth_grant_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  approved_by_member_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  request_id: column({ type: DataTypes.STRING(128), allowNull: true }),
  /** How freely the caller may send; null: without limit. */
  autonomy: columnOf<'draft' | 'approval' | 'autonomous'>()({ type: DataTypes.STRING(16), allowNull: true }),
  /** What a member has approved that it sends; emptied when it ends. */
  frozen: column({ type: DataTypes.JSONB, allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  finished_at: column({ type: DataTypes.DATE(3), allowNull: true }),
};

/** Columns of a row of `macro_runs`. */
export type MacroRunRow = RowOf<typeof columns>;

/** Binds the table `macro_runs`. */
export const macroRunTable = defineTable('MacroRun', 'macro_runs', columns);
