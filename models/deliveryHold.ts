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
 * A brake that the operator put on sending: without a workspace on all of it, else on one, or on one of its numbers.
 */
interface DeliveryHoldModel extends Model<
  InferAttributes<DeliveryHoldModel>,
  InferCreationAttributes<DeliveryHoldModel>
> {
  id: CreationOptional<number>;
  workspace_id: number | null;
  phone_number_id: number | null;
  reason: CreationOptional<string>;
  created_at: CreationOptional<Date>;
}

/** Columns of a row of `delivery_holds`. */
export type DeliveryHoldRow = InferAttributes<DeliveryHoldModel>;

/** Binds the table `delivery_holds`. */
export const deliveryHoldTable = defineTable<DeliveryHoldModel>('DeliveryHold', 'delivery_holds', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  phone_number_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'CASCADE',
  },
  reason: { type: DataTypes.STRING(500), allowNull: false, defaultValue: '' },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
