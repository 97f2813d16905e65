import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A member who follows a ticket (specification 2.4). */
export interface TicketWatcherRow {
  ticket_id: number;
  member_id: number;
}

/** Binds the table `ticket_watchers`. */
export const ticketWatcherTable = defineTable<TicketWatcherRow>('TicketWatcher', 'ticket_watchers', {
  ticket_id: { type: DataTypes.INTEGER, primaryKey: true },
  member_id: { type: DataTypes.INTEGER, primaryKey: true },
});
