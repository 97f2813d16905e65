import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** One row that is gone after a crash or a restore: until it is back, sending is held. */
interface DeliveryPresenceModel extends Model<
  InferAttributes<DeliveryPresenceModel>,
  InferCreationAttributes<DeliveryPresenceModel>
> {
  singleton: CreationOptional<boolean>;
  seen_at: CreationOptional<Date>;
}

/** Binds the table `delivery_presence`. */
export const deliveryPresenceTable = defineTable<DeliveryPresenceModel>('DeliveryPresence', 'delivery_presence', {
  singleton: { type: DataTypes.BOOLEAN, allowNull: false, primaryKey: true, defaultValue: true },
  seen_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
