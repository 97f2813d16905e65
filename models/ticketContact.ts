import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** A contact that a ticket affects. */
const columns = {
  ticket_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'tickets', key: 'id' },
    onDelete: 'CASCADE',
  }),
  contact_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'contacts', key: 'id' },
    onDelete: 'CASCADE',
  }),
  position: column({ type: DataTypes.INTEGER, allowNull: false }),
};

/** Binds the table `ticket_contacts`. */
export const ticketContactTable = defineTable('TicketContact', 'ticket_contacts', columns);
