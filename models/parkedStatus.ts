import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** A status webhook that waits for its message. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  wamid: column({ type: DataTypes.STRING(255), allowNull: false }),
  payload: column({ type: DataTypes.JSONB, allowNull: false }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `parked_statuses`. */
export const parkedStatusTable = defineTable('ParkedStatus', 'parked_statuses', columns);
