import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A note on a ticket. */
interface TicketCommentModel extends Model<
  InferAttributes<TicketCommentModel>,
  InferCreationAttributes<TicketCommentModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  ticket_id: number;
  body: string;
  is_internal: CreationOptional<boolean>;
  author_id: number | null;
  created_at: CreationOptional<Date>;
}

/** Binds the table `ticket_comments`. */
export const ticketCommentTable = defineTable<TicketCommentModel>('TicketComment', 'ticket_comments', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.BIGINT, allowNull: false },
  ticket_id: { type: DataTypes.BIGINT, allowNull: false },
  body: { type: DataTypes.TEXT, allowNull: false },
  is_internal: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true },
  author_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
