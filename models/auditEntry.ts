import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** One call of an agent tool: who, which tool, what became of it. */
interface AuditEntryModel extends Model<InferAttributes<AuditEntryModel>, InferCreationAttributes<AuditEntryModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  connection_kind: string;
  connection_id: number;
  connection_name: CreationOptional<string>;
  member_id: number | null;
  tool: string;
  arguments_digest: Buffer;
  outcome: string;
  detail: CreationOptional<string>;
  duration_ms: number;
  request_id: string;
  created_at: CreationOptional<Date>;
}

/** Columns of a row of `audit_log`. */
export type AuditEntryRow = InferAttributes<AuditEntryModel>;

/** Binds the table `audit_log`. */
export const auditEntryTable = defineTable<AuditEntryModel>('AuditEntry', 'audit_log', {
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
  tool: { type: DataTypes.STRING(64), allowNull: false },
  arguments_digest: { type: DataTypes.BLOB, allowNull: false },
  outcome: { type: DataTypes.STRING(24), allowNull: false },
  detail: { type: DataTypes.STRING(500), allowNull: false, defaultValue: '' },
  duration_ms: { type: DataTypes.INTEGER, allowNull: false },
  request_id: { type: DataTypes.STRING(128), allowNull: false },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
