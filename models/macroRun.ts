import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** One run of a macro: `pending` is left exactly once. */
interface MacroRunModel extends Model<InferAttributes<MacroRunModel>, InferCreationAttributes<MacroRunModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  macro_id: number | null;
  /** The actions as they were when the run was asked for. */
  actions: unknown;
  conversation_id: number | null;
  ticket_id: number | null;
  state: CreationOptional<'pending' | 'applied' | 'failed' | 'abandoned'>;
  ran: { type: string; detail: string }[] | null;
  /** `code` is a word of `errorCodes`; earlier versions did not store it. */
  failed_step: { index: number; type: string; message: string; code?: string } | null;
  run_key: Buffer | null;
  actor_type: 'member' | 'api_key' | 'agent' | 'system' | 'contact';
  actor_member_id: number | null;
  api_key_id: number | null;
  oauth_grant_id: CreationOptional<number | null>;
  approved_by_member_id: CreationOptional<number | null>;
  request_id: string | null;
  /** How freely the caller may send; null: without limit. */
  autonomy: 'draft' | 'approval' | 'autonomous' | null;
  /** What a member has approved that it sends; emptied when it ends. */
  frozen: unknown | null;
  created_at: CreationOptional<Date>;
  finished_at: Date | null;
}

/** Columns of a row of `macro_runs`. */
export type MacroRunRow = InferAttributes<MacroRunModel>;

/** Binds the table `macro_runs`. */
export const macroRunTable = defineTable<MacroRunModel>('MacroRun', 'macro_runs', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  macro_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'macros', key: 'id' },
    onDelete: 'SET NULL',
  },
  actions: { type: DataTypes.JSONB, allowNull: false },
  conversation_id: { type: DataTypes.BIGINT, allowNull: true },
  ticket_id: { type: DataTypes.BIGINT, allowNull: true },
  state: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'pending' },
  ran: { type: DataTypes.JSONB, allowNull: true },
  failed_step: { type: DataTypes.JSONB, allowNull: true },
  run_key: { type: DataTypes.BLOB, allowNull: true },
  actor_type: { type: DataTypes.STRING(16), allowNull: false },
  actor_member_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  api_key_id: { type: DataTypes.BIGINT, allowNull: true },
  oauth_grant_id: { type: DataTypes.BIGINT, allowNull: true },
  approved_by_member_id: { type: DataTypes.BIGINT, allowNull: true },
  request_id: { type: DataTypes.STRING(128), allowNull: true },
  autonomy: { type: DataTypes.STRING(16), allowNull: true },
  frozen: { type: DataTypes.JSONB, allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  finished_at: { type: DataTypes.DATE(3), allowNull: true },
});
