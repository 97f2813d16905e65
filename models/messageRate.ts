import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** What the platform charges for a message of a category to a country, from a day on. */
const columns = {
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  country: column({ type: DataTypes.STRING(2), allowNull: false, primaryKey: true }),
  category: column({ type: DataTypes.STRING(64), allowNull: false, primaryKey: true }),
  valid_from: column({ type: DataTypes.DATEONLY, allowNull: false, primaryKey: true }),
  amount: column({ type: DataTypes.DECIMAL(12, 6), allowNull: false }),
  currency: column({ type: DataTypes.STRING(3), allowNull: false }),
};

/** Binds the table `message_rates`. */
export const messageRateTable = defineTable('MessageRate', 'message_rates', columns);
