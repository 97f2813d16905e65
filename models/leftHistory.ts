import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** Conversations that are gone, while messages and activity that carry their ids are moved or removed. */
const columns = {
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  conversation_id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true }),
  /** Whose the history is now; null: it was erased. */
  kept_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'conversations', key: 'id' },
    onDelete: 'SET NULL',
  }),
  /** Behind how many places of the other one its messages are put. */
  places: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `left_histories`. */
export const leftHistoryTable = defineTable('LeftHistory', 'left_histories', columns);
