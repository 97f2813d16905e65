import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** One event on its way to one subscription. */
interface WebhookDeliveryModel extends Model<
  InferAttributes<WebhookDeliveryModel>,
  InferCreationAttributes<WebhookDeliveryModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  subscription_id: number;
  event_id: number;
  state: CreationOptional<'pending' | 'delivered' | 'failed' | 'cancelled'>;
  attempts: CreationOptional<number>;
  last_status_code: number | null;
  last_error: CreationOptional<string>;
  next_attempt_at: Date | null;
  actions: unknown;
  created_at: CreationOptional<Date>;
}

/** Binds the table `webhook_deliveries`. */
export const webhookDeliveryTable = defineTable<WebhookDeliveryModel>('WebhookDelivery', 'webhook_deliveries', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  subscription_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'webhook_subscriptions', key: 'id' },
    onDelete: 'CASCADE',
  },
  event_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'webhook_events', key: 'id' },
    onDelete: 'CASCADE',
  },
  state: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'pending' },
  attempts: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  last_status_code: { type: DataTypes.INTEGER, allowNull: true },
  last_error: { type: DataTypes.STRING(500), allowNull: false, defaultValue: '' },
  next_attempt_at: { type: DataTypes.DATE(3), allowNull: true },
  actions: { type: DataTypes.JSONB, allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
