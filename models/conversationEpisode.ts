import type { Rating } from './enums';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable } from './table';

/** What reports count: from a customer's message, where nothing is under way, until the conversation is ended. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  // Null: the contact was erased.
  conversation_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'conversations', key: 'id' },
    onDelete: 'SET NULL',
  }),
  started_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  first_response_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  answered_by_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  ended_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  ended_as: columnOf<'' | 'resolved' | 'converted' | 'spam' | 'merged' | 'erased'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    defaultValue: '',
  }),
  ended_by_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  team_inbox_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  tags: column({ type: DataTypes.JSONB, allowNull: false }),
  broadcast_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  started_on: column({ type: DataTypes.DATEONLY, allowNull: true }),
  started_hour: column({ type: DataTypes.SMALLINT, allowNull: true }),
  ended_on: column({ type: DataTypes.DATEONLY, allowNull: true }),
  first_response_seconds: column({ type: DataTypes.INTEGER, allowNull: true }),
  resolution_seconds: column({ type: DataTypes.INTEGER, allowNull: true }),
  // The question how satisfied the customer is, and what they answered last.
  asked_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  rating: columnOf<Rating | null>()({ type: DataTypes.STRING(8), allowNull: true }),
  rated_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  unsummed: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true }),
};

/** Binds the table `conversation_episodes`. */
export const conversationEpisodeTable = defineTable('ConversationEpisode', 'conversation_episodes', columns);
