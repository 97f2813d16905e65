import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** How far a phone number's throughput is given away. */
const columns = {
  phone_number_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'CASCADE',
  }),
  booked_until: column({ type: DataTypes.DATE(6), allowNull: false, defaultValue: literal('clock_timestamp()') }),
  share: column({ type: DataTypes.REAL, allowNull: false, defaultValue: 1 }),
  slowed_at: column({ type: DataTypes.DATE(6), allowNull: true }),
};

/** Binds the table `send_slots`. */
export const sendSlotTable = defineTable('SendSlot', 'send_slots', columns);
