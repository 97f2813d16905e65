import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { RecipientState } from './enums';
import { column, columnOf, defineTable } from './table';

/** One recipient of a broadcast and what became of it. A claimed one is `pending` here and `sending` in its message. */
const columns = {
  broadcast_id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true }),
  position: column({ type: DataTypes.INTEGER, allowNull: false, primaryKey: true }),
  workspace_id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true }),
  contact_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  state: columnOf<RecipientState>()({ type: DataTypes.STRING(8), allowNull: false }),
  reason: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  error_code: column({ type: DataTypes.INTEGER, allowNull: true }),
  message_status: column({ type: DataTypes.STRING(16), allowNull: false, defaultValue: '' }),
  message_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `broadcast_recipients`. */
export const broadcastRecipientTable = defineTable('BroadcastRecipient', 'broadcast_recipients', columns);
