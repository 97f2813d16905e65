import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** The identity of the one database in which sending is allowed; one row. In any other one, sending is held. */
interface DeliveryFenceModel extends Model<
  InferAttributes<DeliveryFenceModel>,
  InferCreationAttributes<DeliveryFenceModel>
> {
  singleton: CreationOptional<boolean>;
  database_identity: string;
  updated_at: CreationOptional<Date>;
}

/** Binds the table `delivery_fence`. */
export const deliveryFenceTable = defineTable<DeliveryFenceModel>('DeliveryFence', 'delivery_fence', {
  singleton: { type: DataTypes.BOOLEAN, allowNull: false, primaryKey: true, defaultValue: true },
  database_identity: { type: DataTypes.STRING(64), allowNull: false },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
