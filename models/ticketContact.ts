import { DataTypes, type InferAttributes, type InferCreationAttributes, type Model } from 'sequelize';
import { defineTable } from './table';

/** A contact that a ticket affects. */
interface TicketContactModel extends Model<
  InferAttributes<TicketContactModel>,
  InferCreationAttributes<TicketContactModel>
> {
  ticket_id: number;
  contact_id: number;
  position: number;
}

/** Binds the table `ticket_contacts`. */
export const ticketContactTable = defineTable<TicketContactModel>('TicketContact', 'ticket_contacts', {
  ticket_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'tickets', key: 'id' },
    onDelete: 'CASCADE',
  },
  contact_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'contacts', key: 'id' },
    onDelete: 'CASCADE',
  },
  position: { type: DataTypes.INTEGER, allowNull: false },
});
