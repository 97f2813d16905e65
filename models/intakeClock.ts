import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** A clock that only advances while webhooks can be received; one row. */
const columns = {
  singleton: column({ type: DataTypes.BOOLEAN, allowNull: false, primaryKey: true, defaultValue: true }),
  up_ms: column({ type: DataTypes.BIGINT, allowNull: false, defaultValue: 0 }),
  seen_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `intake_clock`. */
export const intakeClockTable = defineTable('IntakeClock', 'intake_clock', columns);
