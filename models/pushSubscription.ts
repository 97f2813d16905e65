import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable, type RowOf } from './table';

/** A browser that takes web push for a member, for as long as the session lasts in which it was turned on. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  session_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'sessions', key: 'id' },
    onDelete: 'CASCADE',
  }),
  /** SHA-256 of the address, by which the same browser is known again. */
  endpoint_hash: column({ type: DataTypes.BLOB, allowNull: false }),
  /** Sealed: the address, which is a secret, and the keys for which is encrypted, as JSON. */
  sealed: column({ type: DataTypes.TEXT, allowNull: false }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `push_subscriptions`. */
export type PushSubscriptionRow = RowOf<typeof columns>;

/** Binds the table `push_subscriptions`. */
export const pushSubscriptionTable = defineTable('PushSubscription', 'push_subscriptions', columns);
