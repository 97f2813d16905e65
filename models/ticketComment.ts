import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A note on a ticket (specification 2.5). */
export interface TicketCommentRow {
  id: number;
  workspace_id: number;
  ticket_id: number;
  body: string;
  is_internal: boolean;
  author_id: number | null;
  created_at: Date;
}

/** Binds the table `ticket_comments`. */
export const ticketCommentTable = defineTable<TicketCommentRow>('TicketComment', 'ticket_comments', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  ticket_id: { type: DataTypes.INTEGER },
  body: { type: DataTypes.TEXT },
  is_internal: { type: DataTypes.BOOLEAN },
  author_id: { type: DataTypes.INTEGER, allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
});
