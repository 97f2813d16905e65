import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A contact that a ticket affects (specification 2.4). */
export interface TicketContactRow {
  ticket_id: number;
  contact_id: number;
  position: number;
}

/** Binds the table `ticket_contacts`. */
export const ticketContactTable = defineTable<TicketContactRow>('TicketContact', 'ticket_contacts', {
  ticket_id: { type: DataTypes.INTEGER, primaryKey: true },
  contact_id: { type: DataTypes.INTEGER, primaryKey: true },
  position: { type: DataTypes.INTEGER },
});
