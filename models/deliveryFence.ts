import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/**
 * The one database in which sending is allowed, as it has run since it was compared with its witness; one row. In any
 * other one, and after a new start, sending is held.
 */
interface DeliveryFenceModel extends Model<
  InferAttributes<DeliveryFenceModel>,
  InferCreationAttributes<DeliveryFenceModel>
> {
  singleton: CreationOptional<boolean>;
  database_identity: string;
  running_since: Date;
  witness: CreationOptional<string | null>;
  earlier: CreationOptional<string | null>;
  accepted: CreationOptional<boolean>;
  updated_at: CreationOptional<Date>;
}

/** Binds the table `delivery_fence`. */
export const deliveryFenceTable = defineTable<DeliveryFenceModel>('DeliveryFence', 'delivery_fence', {
  singleton: { type: DataTypes.BOOLEAN, allowNull: false, primaryKey: true, defaultValue: true },
  database_identity: { type: DataTypes.STRING(64), allowNull: false },
  running_since: { type: DataTypes.DATE(6), allowNull: false },
  witness: { type: DataTypes.UUID, allowNull: true },
  earlier: { type: DataTypes.UUID, allowNull: true },
  accepted: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
