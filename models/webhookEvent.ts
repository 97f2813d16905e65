import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** Something that happened and that subscribers are told; its payload is written when it is fanned out. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  uid: column({
    type: DataTypes.STRING(40),
    allowNull: false,
    defaultValue: literal("('evt_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text))"),
  }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  type: column({ type: DataTypes.STRING(64), allowNull: false }),
  subject_type: column({ type: DataTypes.STRING(32), allowNull: false }),
  subject_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  changes: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: true }),
  data: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  sequence: column({ type: DataTypes.BIGINT, allowNull: true }),
  payload: column({ type: DataTypes.JSON, allowNull: true }),
  contact_ids: column({ type: DataTypes.ARRAY(DataTypes.BIGINT), allowNull: false, defaultValue: [] }),
  fanned_out_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  /** How often batches that began with it could not be fanned out. */
  fan_out_tries: column({ type: DataTypes.SMALLINT, allowNull: false, defaultValue: 0 }),
  /** Since when it is left to an operator, because it could not be rendered or written. */
  set_aside_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  set_aside_reason: column({ type: DataTypes.STRING(500), allowNull: false, defaultValue: '' }),
};

/** Columns of a row of `webhook_events`. */
export type WebhookEventRow = RowOf<typeof columns>;

/** Binds the table `webhook_events`. */
export const webhookEventTable = defineTable('WebhookEvent', 'webhook_events', columns);
