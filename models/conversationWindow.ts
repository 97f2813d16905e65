import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** Until when free-form messages may be sent, per number and conversation. */
const columns = {
  conversation_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'conversations', key: 'id' },
    onDelete: 'CASCADE',
  }),
  phone_number_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'CASCADE',
  }),
  open_until: column({ type: DataTypes.DATE(3), allowNull: false }),
};

/** Binds the table `conversation_windows`. */
export const conversationWindowTable = defineTable('ConversationWindow', 'conversation_windows', columns);
