import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** How far a phone number's throughput is given away. */
interface SendSlotModel extends Model<InferAttributes<SendSlotModel>, InferCreationAttributes<SendSlotModel>> {
  phone_number_id: number;
  booked_until: CreationOptional<Date>;
  share: CreationOptional<number>;
  slowed_at: Date | null;
}

/** Binds the table `send_slots`. */
export const sendSlotTable = defineTable<SendSlotModel>('SendSlot', 'send_slots', {
  phone_number_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'CASCADE',
  },
  booked_until: { type: DataTypes.DATE(6), allowNull: false, defaultValue: literal('clock_timestamp()') },
  share: { type: DataTypes.REAL, allowNull: false, defaultValue: 1 },
  slowed_at: { type: DataTypes.DATE(6), allowNull: true },
});
