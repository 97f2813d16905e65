import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A clock that only advances while webhooks can be received; one row. */
interface IntakeClockModel extends Model<InferAttributes<IntakeClockModel>, InferCreationAttributes<IntakeClockModel>> {
  singleton: CreationOptional<boolean>;
  up_ms: CreationOptional<number>;
  seen_at: CreationOptional<Date>;
}

/** Binds the table `intake_clock`. */
export const intakeClockTable = defineTable<IntakeClockModel>('IntakeClock', 'intake_clock', {
  singleton: { type: DataTypes.BOOLEAN, allowNull: false, primaryKey: true, defaultValue: true },
  up_ms: { type: DataTypes.BIGINT, allowNull: false, defaultValue: 0 },
  seen_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
