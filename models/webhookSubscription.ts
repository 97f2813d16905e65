import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A receiver of events: its address, its types of events, and the state of its deliveries. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  url: column({ type: DataTypes.STRING(2048), allowNull: false }),
  events: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false }),
  /** Scopes of the member or key that created it: `*` means the events that these may see. */
  view_scopes: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] }),
  description: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  scopes: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] }),
  autonomy: columnOf<'draft' | 'approval' | 'autonomous'>()({ type: DataTypes.STRING(16), allowNull: false }),
  is_active: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true }),
  active_since: column({ type: DataTypes.DATE(3), allowNull: false }),
  created_by_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  api_key_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  sealed_secret: column({ type: DataTypes.TEXT, allowNull: false }),
  /** The replaced secrets that still sign, the newest first, separated by spaces and encrypted as one. */
  previous_secret: column({ type: DataTypes.TEXT, allowNull: true }),
  previous_until: column({ type: DataTypes.DATE(3), allowNull: true }),
  failing_since: column({ type: DataTypes.DATE(3), allowNull: true }),
  consecutive_failures: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  paused_until: column({ type: DataTypes.DATE(3), allowNull: true }),
  disabled_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  disabled_reason: column({ type: DataTypes.STRING(500), allowNull: false, defaultValue: '' }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `webhook_subscriptions`. */
export type WebhookSubscriptionRow = RowOf<typeof columns>;

/** Binds the table `webhook_subscriptions`. */
export const webhookSubscriptionTable = defineTable('WebhookSubscription', 'webhook_subscriptions', columns);
