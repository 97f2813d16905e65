import { DataTypes } from './dataTypes';
import type { RecipientState } from './enums';
import { column, columnOf, defineTable } from './table';

/** One recipient of a move and what became of it. */
const columns = {
  move_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'ticket_stage_moves', key: 'id' },
    onDelete: 'CASCADE',
  }),
  contact_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'contacts', key: 'id' },
    onDelete: 'CASCADE',
  }),
  place: column({ type: DataTypes.INTEGER, allowNull: false }),
  state: columnOf<RecipientState>()({ type: DataTypes.STRING(8), allowNull: false, defaultValue: 'pending' }),
  reason: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  message_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  settled_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  /** What the mapping takes from the contact, as it was when the ticket moved. */
  frozen_values: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
};

/** Binds the table `ticket_stage_move_recipients`. */
export const ticketStageMoveRecipientTable = defineTable(
  'TicketStageMoveRecipient',
  'ticket_stage_move_recipients',
  columns,
);
