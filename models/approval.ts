import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A call of an agent that waits for a member's decision. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  connection_kind: columnOf<'api_key' | 'oauth' | 'rule'>()({ type: DataTypes.STRING(8), allowNull: false }),
  connection_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  connection_name: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  autonomy: columnOf<'draft' | 'approval'>()({ type: DataTypes.STRING(16), allowNull: false }),
  tool: column({ type: DataTypes.STRING(64), allowNull: false }),
  call_kind: columnOf<'message' | 'macro' | 'ticket'>()({ type: DataTypes.STRING(16), allowNull: false }),
  input: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false }),
  status: columnOf<'pending' | 'approved' | 'rejected' | 'expired'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    defaultValue: 'pending',
  }),
  expires_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  decided_by: column({
    type: DataTypes.INTEGER,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  decided_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  result: column({ type: DataTypes.JSONB, allowNull: true }),
  /** Why it was rejected. */
  note: column({ type: DataTypes.STRING(500), allowNull: true }),
  request_id: column({ type: DataTypes.STRING(128), allowNull: true }),
  macro_name: column({ type: DataTypes.STRING(255), allowNull: true }),
  /** Steps of a parked macro, as the member sees them. */
  steps: column({ type: DataTypes.JSONB, allowNull: true }),
  /** What the call sends, frozen when it was parked. */
  frozen: columnOf<readonly unknown[]>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: [] }),
  /** Of all that is done when it is approved. */
  digest: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: '' }),
  run_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'macro_runs', key: 'id' },
    onDelete: 'SET NULL',
  }),
  /** Raised by whatever moves or stops the timer of the expiry. */
  timer_version: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `approvals`. */
export type ApprovalRow = RowOf<typeof columns>;

/** Binds the table `approvals`. */
export const approvalTable = defineTable('Approval', 'approvals', columns);
