import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable, type RowOf } from './table';

/**
 * A brake that the operator put on sending: without a workspace on all of it, else on one, or on one of its numbers.
 */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  phone_number_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'CASCADE',
  }),
  reason: column({ type: DataTypes.STRING(500), allowNull: false, defaultValue: '' }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `delivery_holds`. */
export type DeliveryHoldRow = RowOf<typeof columns>;

/** Binds the table `delivery_holds`. */
export const deliveryHoldTable = defineTable('DeliveryHold', 'delivery_holds', columns);
