import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** What happened: activity trails, the dashboard's news and outgoing webhooks come from it. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  subject_type: column({ type: DataTypes.STRING(32), allowNull: false }),
  subject_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  kind: column({ type: DataTypes.STRING(64), allowNull: false }),
  actor_type: columnOf<'member' | 'api_key' | 'agent' | 'system' | 'contact'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
  }),
  actor_member_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  api_key_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  changes: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
  data: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
  request_id: column({ type: DataTypes.STRING(128), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  webhook_type: column({ type: DataTypes.STRING(64), allowNull: true }),
  transaction_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    defaultValue: literal('((pg_current_xact_id())::text)::bigint'),
  }),
};

/** Columns of a row of `events`. */
export type ActivityEventRow = RowOf<typeof columns>;

/** Binds the table `events`. */
export const activityEventTable = defineTable('ActivityEvent', 'events', columns);
