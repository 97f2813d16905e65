import { DataTypes, type InferAttributes, type InferCreationAttributes, type Model } from 'sequelize';
import { defineTable } from './table';

/** Until when free-form messages may be sent, per number and conversation. */
interface ConversationWindowModel extends Model<
  InferAttributes<ConversationWindowModel>,
  InferCreationAttributes<ConversationWindowModel>
> {
  conversation_id: number;
  phone_number_id: number;
  open_until: Date;
}

/** Binds the table `conversation_windows`. */
export const conversationWindowTable = defineTable<ConversationWindowModel>(
  'ConversationWindow',
  'conversation_windows',
  {
    conversation_id: {
      type: DataTypes.BIGINT,
      allowNull: false,
      primaryKey: true,
      references: { model: 'conversations', key: 'id' },
      onDelete: 'CASCADE',
    },
    phone_number_id: {
      type: DataTypes.BIGINT,
      allowNull: false,
      primaryKey: true,
      references: { model: 'phone_numbers', key: 'id' },
      onDelete: 'CASCADE',
    },
    open_until: { type: DataTypes.DATE(3), allowNull: false },
  },
);
