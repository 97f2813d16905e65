import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A call of an agent that waits for a member's decision. */
interface ApprovalModel extends Model<InferAttributes<ApprovalModel>, InferCreationAttributes<ApprovalModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  connection_kind: 'api_key' | 'oauth';
  connection_id: number;
  connection_name: CreationOptional<string>;
  member_id: number | null;
  autonomy: 'draft' | 'approval';
  tool: string;
  call_kind: 'message' | 'macro' | 'ticket';
  input: Record<string, unknown>;
  status: CreationOptional<'pending' | 'approved' | 'rejected' | 'expired'>;
  expires_at: Date | null;
  decided_by: number | null;
  decided_at: Date | null;
  result: unknown | null;
  request_id: string | null;
  macro_name: string | null;
  /** Steps of a parked macro, as the member sees them. */
  steps: unknown | null;
  /** What the call sends, frozen when it was parked. */
  frozen: CreationOptional<readonly unknown[]>;
  /** Of all that is done when it is approved. */
  digest: CreationOptional<string>;
  run_id: number | null;
  /** Raised by whatever moves or stops the timer of the expiry. */
  timer_version: CreationOptional<number>;
  created_at: CreationOptional<Date>;
}

/** Columns of a row of `approvals`. */
export type ApprovalRow = InferAttributes<ApprovalModel>;

/** Binds the table `approvals`. */
export const approvalTable = defineTable<ApprovalModel>('Approval', 'approvals', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  connection_kind: { type: DataTypes.STRING(8), allowNull: false },
  connection_id: { type: DataTypes.BIGINT, allowNull: false },
  connection_name: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  member_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  autonomy: { type: DataTypes.STRING(16), allowNull: false },
  tool: { type: DataTypes.STRING(64), allowNull: false },
  call_kind: { type: DataTypes.STRING(16), allowNull: false },
  input: { type: DataTypes.JSONB, allowNull: false },
  status: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'pending' },
  expires_at: { type: DataTypes.DATE(3), allowNull: true },
  decided_by: {
    type: DataTypes.INTEGER,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  decided_at: { type: DataTypes.DATE(3), allowNull: true },
  result: { type: DataTypes.JSONB, allowNull: true },
  request_id: { type: DataTypes.STRING(128), allowNull: true },
  macro_name: { type: DataTypes.STRING(255), allowNull: true },
  steps: { type: DataTypes.JSONB, allowNull: true },
  frozen: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
  digest: { type: DataTypes.STRING(64), allowNull: false, defaultValue: '' },
  run_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'macro_runs', key: 'id' },
    onDelete: 'SET NULL',
  },
  timer_version: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
