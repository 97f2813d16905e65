import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** Until when free-form messages may be sent, per number and conversation (contract C6). */
export interface ConversationWindowRow {
  conversation_id: number;
  phone_number_id: number;
  open_until: Date;
}

/** Binds the table `conversation_windows`. */
export const conversationWindowTable = defineTable<ConversationWindowRow>(
  'ConversationWindow',
  'conversation_windows',
  {
    conversation_id: { type: DataTypes.INTEGER, primaryKey: true },
    phone_number_id: { type: DataTypes.INTEGER, primaryKey: true },
    open_until: { type: DataTypes.DATE(3) },
  },
);
