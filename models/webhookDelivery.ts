import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable } from './table';

/** One event on its way to one subscription. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  subscription_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'webhook_subscriptions', key: 'id' },
    onDelete: 'CASCADE',
  }),
  event_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'webhook_events', key: 'id' },
    onDelete: 'CASCADE',
  }),
  /** Whose turn it is sent in: a hash of the event's subject. */
  turn: column({ type: DataTypes.BIGINT, allowNull: false }),
  state: columnOf<'pending' | 'delivered' | 'failed' | 'cancelled'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    defaultValue: 'pending',
  }),
  attempts: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  last_status_code: column({ type: DataTypes.INTEGER, allowNull: true }),
  last_error: column({ type: DataTypes.STRING(500), allowNull: false, defaultValue: '' }),
  next_attempt_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  actions: column({ type: DataTypes.JSONB, allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `webhook_deliveries`. */
export const webhookDeliveryTable = defineTable('WebhookDelivery', 'webhook_deliveries', columns);
