import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** What members tell each other beside a thread; no program is shown it. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  conversation_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'conversations', key: 'id' },
    onDelete: 'CASCADE',
  }),
  author_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  body: column({ type: DataTypes.TEXT, allowNull: false }),
  mentioned_ids: column({ type: DataTypes.ARRAY(DataTypes.BIGINT), allowNull: false, defaultValue: [] }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `conversation_notes`. */
export const conversationNoteTable = defineTable('ConversationNote', 'conversation_notes', columns);
