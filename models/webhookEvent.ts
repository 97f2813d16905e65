import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** Something that happened and that subscribers are told; its payload is written when it is fanned out. */
interface WebhookEventModel extends Model<
  InferAttributes<WebhookEventModel>,
  InferCreationAttributes<WebhookEventModel>
> {
  id: CreationOptional<number>;
  uid: CreationOptional<string>;
  workspace_id: number;
  type: string;
  subject_type: string;
  subject_id: number;
  changes: Record<string, unknown> | null;
  data: CreationOptional<Record<string, unknown>>;
  created_at: CreationOptional<Date>;
  sequence: number | null;
  payload: unknown;
  contact_ids: CreationOptional<number[]>;
  fanned_out_at: Date | null;
  /** How often batches that began with it could not be fanned out. */
  fan_out_tries: CreationOptional<number>;
  /** Since when it is left to an operator, because it could not be rendered or written. */
  set_aside_at: CreationOptional<Date | null>;
  set_aside_reason: CreationOptional<string>;
}

/** Columns of a row of `webhook_events`. */
export type WebhookEventRow = InferAttributes<WebhookEventModel>;

/** Binds the table `webhook_events`. */
export const webhookEventTable = defineTable<WebhookEventModel>('WebhookEvent', 'webhook_events', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  uid: {
    type: DataTypes.STRING(40),
    allowNull: false,
    defaultValue: literal("('evt_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text))"),
  },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  type: { type: DataTypes.STRING(64), allowNull: false },
  subject_type: { type: DataTypes.STRING(32), allowNull: false },
  subject_id: { type: DataTypes.BIGINT, allowNull: false },
  changes: { type: DataTypes.JSONB, allowNull: true },
  data: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  sequence: { type: DataTypes.BIGINT, allowNull: true },
  payload: { type: DataTypes.JSON, allowNull: true },
  contact_ids: { type: DataTypes.ARRAY(DataTypes.BIGINT), allowNull: false, defaultValue: [] },
  fanned_out_at: { type: DataTypes.DATE(3), allowNull: true },
  fan_out_tries: { type: DataTypes.SMALLINT, allowNull: false, defaultValue: 0 },
  set_aside_at: { type: DataTypes.DATE(3), allowNull: true },
  set_aside_reason: { type: DataTypes.STRING(500), allowNull: false, defaultValue: '' },
});
