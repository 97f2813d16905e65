import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** One recipient of a move and what became of it (specification 3.3). */
export interface TicketStageMoveRecipientRow {
  move_id: number;
  contact_id: number;
  place: number;
  state: 'pending' | 'sent' | 'skipped' | 'failed' | 'unknown';
  reason: string;
  message_id: number | null;
  settled_at: Date | null;
}

/** Binds the table `ticket_stage_move_recipients`. */
export const ticketStageMoveRecipientTable = defineTable<TicketStageMoveRecipientRow>(
  'TicketStageMoveRecipient',
  'ticket_stage_move_recipients',
  {
    move_id: { type: DataTypes.INTEGER, primaryKey: true },
    contact_id: { type: DataTypes.INTEGER, primaryKey: true },
    place: { type: DataTypes.INTEGER },
    state: { type: DataTypes.STRING(8) },
    reason: { type: DataTypes.STRING(255) },
    message_id: { type: DataTypes.INTEGER, allowNull: true },
    settled_at: { type: DataTypes.DATE(3), allowNull: true },
  },
);
