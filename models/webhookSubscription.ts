import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A receiver of events: its address, what it is told, and how its deliveries fare. */
interface WebhookSubscriptionModel extends Model<
  InferAttributes<WebhookSubscriptionModel>,
  InferCreationAttributes<WebhookSubscriptionModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  url: string;
  events: string[];
  /** The scopes of its maker that say which events `*` means. */
  view_scopes: CreationOptional<string[]>;
  description: CreationOptional<string>;
  scopes: CreationOptional<string[]>;
  autonomy: 'draft' | 'approval' | 'autonomous';
  is_active: CreationOptional<boolean>;
  active_since: Date;
  created_by_id: number | null;
  api_key_id: number | null;
  sealed_secret: string;
  previous_secret: string | null;
  previous_until: Date | null;
  failing_since: Date | null;
  consecutive_failures: CreationOptional<number>;
  paused_until: Date | null;
  disabled_at: Date | null;
  disabled_reason: CreationOptional<string>;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
}

/** Columns of a row of `webhook_subscriptions`. */
export type WebhookSubscriptionRow = InferAttributes<WebhookSubscriptionModel>;

/** Binds the table `webhook_subscriptions`. */
export const webhookSubscriptionTable = defineTable<WebhookSubscriptionModel>(
  'WebhookSubscription',
  'webhook_subscriptions',
  {
    id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
    workspace_id: {
      type: DataTypes.BIGINT,
      allowNull: false,
      references: { model: 'workspaces', key: 'id' },
      onDelete: 'CASCADE',
    },
    url: { type: DataTypes.STRING(2048), allowNull: false },
    events: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
    view_scopes: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] },
    description: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
    scopes: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] },
    autonomy: { type: DataTypes.STRING(16), allowNull: false },
    is_active: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true },
    active_since: { type: DataTypes.DATE(3), allowNull: false },
    created_by_id: {
      type: DataTypes.BIGINT,
      allowNull: true,
      references: { model: 'members', key: 'id' },
      onDelete: 'SET NULL',
    },
    api_key_id: { type: DataTypes.BIGINT, allowNull: true },
    sealed_secret: { type: DataTypes.TEXT, allowNull: false },
    previous_secret: { type: DataTypes.TEXT, allowNull: true },
    previous_until: { type: DataTypes.DATE(3), allowNull: true },
    failing_since: { type: DataTypes.DATE(3), allowNull: true },
    consecutive_failures: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    paused_until: { type: DataTypes.DATE(3), allowNull: true },
    disabled_at: { type: DataTypes.DATE(3), allowNull: true },
    disabled_reason: { type: DataTypes.STRING(500), allowNull: false, defaultValue: '' },
    created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
    updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  },
);
