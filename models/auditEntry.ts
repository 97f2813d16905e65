import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable, type RowOf } from './table';

/** One call of an agent tool: who, which tool, what became of it. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  connection_kind: column({ type: DataTypes.STRING(8), allowNull: false }),
  connection_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  connection_name: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  tool: column({ type: DataTypes.STRING(64), allowNull: false }),
  arguments_digest: column({ type: DataTypes.BLOB, allowNull: false }),
  outcome: column({ type: DataTypes.STRING(24), allowNull: false }),
  detail: column({ type: DataTypes.STRING(500), allowNull: false, defaultValue: '' }),
  duration_ms: column({ type: DataTypes.INTEGER, allowNull: false }),
  request_id: column({ type: DataTypes.STRING(128), allowNull: false }),
  /** From where it was called, and by which program. */
  address: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: '' }),
  program: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `audit_log`. */
export type AuditEntryRow = RowOf<typeof columns>;

/** The model `AuditEntry` of the table `audit_log`. */
export const auditEntryTable = defineTable('AuditEntry', 'audit_log', columns);
