import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/**
 * One row: the database in which sending is allowed, and since when its server has run. Sending is held in a database
 * with another identity (a restored copy), and after each start of the server until the database was compared with its
 * witness.
 */
const columns = {
  singleton: column({ type: DataTypes.BOOLEAN, allowNull: false, primaryKey: true, defaultValue: true }),
  database_identity: column({ type: DataTypes.STRING(64), allowNull: false }),
  running_since: column({ type: DataTypes.DATE(6), allowNull: false }),
  witness: column({ type: DataTypes.UUID, allowNull: true }),
  earlier: column({ type: DataTypes.UUID, allowNull: true }),
  accepted: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `delivery_fence`. */
export const deliveryFenceTable = defineTable('DeliveryFence', 'delivery_fence', columns);
