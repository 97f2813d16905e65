import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** A message that has arrived, as the platform charges it; it stays when the message is erased. */
const columns = {
  message_id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  arrived_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  phone_number_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  category: column({ type: DataTypes.STRING(64), allowNull: false }),
  billable: column({ type: DataTypes.BOOLEAN, allowNull: false }),
  country: column({ type: DataTypes.STRING(2), allowNull: false }),
  broadcast_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  member_id: column({ type: DataTypes.BIGINT, allowNull: true }),
};

/** Binds the table `message_usage`. */
export const messageUsageTable = defineTable('MessageUsage', 'message_usage', columns);
