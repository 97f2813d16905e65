import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** A member who follows a ticket. */
const columns = {
  ticket_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'tickets', key: 'id' },
    onDelete: 'CASCADE',
  }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
};

/** Binds the table `ticket_watchers`. */
export const ticketWatcherTable = defineTable('TicketWatcher', 'ticket_watchers', columns);
