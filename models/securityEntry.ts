import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable } from './table';

/** One thing that a member, a key or the operator did and that bears on safety. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  action: column({ type: DataTypes.STRING(64), allowNull: false }),
  actor_type: column({ type: DataTypes.STRING(16), allowNull: false }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  api_key_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  session_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  address: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: '' }),
  subject_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  given: column({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
  /** Who is told of it at once: the member, or the owners, too. */
  told: columnOf<'member' | 'owners' | null>()({ type: DataTypes.STRING(8), allowNull: true }),
  request_id: column({ type: DataTypes.STRING(128), allowNull: false, defaultValue: '' }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `security_log`. */
export const securityEntryTable = defineTable('SecurityEntry', 'security_log', columns);
