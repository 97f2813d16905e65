import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** How far a phone number's throughput is given away (contract C9, "Rate"). */
export interface SendSlotRow {
  phone_number_id: number;
  booked_until: Date;
  share: number;
  slowed_at: Date | null;
}

/** Binds the table `send_slots`. */
export const sendSlotTable = defineTable<SendSlotRow>('SendSlot', 'send_slots', {
  phone_number_id: { type: DataTypes.INTEGER, primaryKey: true },
  booked_until: { type: DataTypes.DATE(6) },
  share: { type: DataTypes.REAL },
  slowed_at: { type: DataTypes.DATE(6), allowNull: true },
});
