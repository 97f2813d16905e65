import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/**
 * An entry of the ledger of a broadcast's numbers: how many recipients came to a state, or left it. Written by
 * triggers.
 */
const columns = {
  broadcast_id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true }),
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  state: column({ type: DataTypes.STRING(8), allowNull: false }),
  message_status: column({ type: DataTypes.STRING(16), allowNull: false }),
  reason: column({ type: DataTypes.STRING(32), allowNull: false }),
  error_code: column({ type: DataTypes.INTEGER, allowNull: true }),
  count: column({ type: DataTypes.BIGINT, allowNull: false }),
};

/** Binds the table `broadcast_numbers`. */
export const broadcastNumberTable = defineTable('BroadcastNumber', 'broadcast_numbers', columns);
