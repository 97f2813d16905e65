import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** A note on a ticket. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  ticket_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  body: column({ type: DataTypes.TEXT, allowNull: false }),
  is_internal: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true }),
  author_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `ticket_comments`. */
export const ticketCommentTable = defineTable('TicketComment', 'ticket_comments', columns);
