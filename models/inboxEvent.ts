import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable } from './table';

/** A stored upstream webhook item, to be processed once in effect. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  business_account_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  kind: column({ type: DataTypes.STRING(64), allowNull: false }),
  order_key: column({ type: DataTypes.STRING(200), allowNull: false, defaultValue: '' }),
  place: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  payload: column({ type: DataTypes.JSONB, allowNull: false }),
  state: columnOf<'new' | 'ignored' | 'parked'>()({ type: DataTypes.STRING(8), allowNull: false, defaultValue: 'new' }),
  attempts: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  available_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  holds_until: column({ type: DataTypes.DATE(3), allowNull: true }),
  error: column({ type: DataTypes.TEXT, allowNull: true }),
  received_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `inbox_events`. */
export const inboxEventTable = defineTable('InboxEvent', 'inbox_events', columns);
