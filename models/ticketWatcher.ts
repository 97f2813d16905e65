import { DataTypes, type InferAttributes, type InferCreationAttributes, type Model } from 'sequelize';
import { defineTable } from './table';

/** A member who follows a ticket. */
interface TicketWatcherModel extends Model<
  InferAttributes<TicketWatcherModel>,
  InferCreationAttributes<TicketWatcherModel>
> {
  ticket_id: number;
  member_id: number;
}

/** Binds the table `ticket_watchers`. */
export const ticketWatcherTable = defineTable<TicketWatcherModel>('TicketWatcher', 'ticket_watchers', {
  ticket_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'tickets', key: 'id' },
    onDelete: 'CASCADE',
  },
  member_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  },
});
