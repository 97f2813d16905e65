import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** What a deployment's `reconcile` workflow has to remember of the database, to notice when it went back. */
interface DeliveryWitnessModel extends Model<
  InferAttributes<DeliveryWitnessModel>,
  InferCreationAttributes<DeliveryWitnessModel>
> {
  deployment: string;
  witness: string;
  earlier: CreationOptional<string | null>;
  accepted: CreationOptional<boolean>;
  updated_at: CreationOptional<Date>;
}

/** Binds the table `delivery_witnesses`. */
export const deliveryWitnessTable = defineTable<DeliveryWitnessModel>('DeliveryWitness', 'delivery_witnesses', {
  deployment: { type: DataTypes.STRING, allowNull: false, primaryKey: true },
  witness: { type: DataTypes.UUID, allowNull: false },
  earlier: { type: DataTypes.UUID, allowNull: true },
  accepted: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
