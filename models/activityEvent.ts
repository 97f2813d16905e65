import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** What happened: activity trails, the dashboard's news and outgoing webhooks come from it. */
interface ActivityEventModel extends Model<
  InferAttributes<ActivityEventModel>,
  InferCreationAttributes<ActivityEventModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  subject_type: string;
  subject_id: number;
  kind: string;
  actor_type: 'member' | 'api_key' | 'agent' | 'system' | 'contact';
  actor_member_id: number | null;
  api_key_id: number | null;
  changes: CreationOptional<Record<string, unknown>>;
  data: CreationOptional<Record<string, unknown>>;
  request_id: string | null;
  created_at: CreationOptional<Date>;
  webhook_type: string | null;
  transaction_id: CreationOptional<number>;
}

/** Columns of a row of `events`. */
export type ActivityEventRow = InferAttributes<ActivityEventModel>;

/** Binds the table `events`. */
export const activityEventTable = defineTable<ActivityEventModel>('ActivityEvent', 'events', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  subject_type: { type: DataTypes.STRING(32), allowNull: false },
  subject_id: { type: DataTypes.BIGINT, allowNull: false },
  kind: { type: DataTypes.STRING(64), allowNull: false },
  actor_type: { type: DataTypes.STRING(16), allowNull: false },
  actor_member_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  api_key_id: { type: DataTypes.BIGINT, allowNull: true },
  changes: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  data: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  request_id: { type: DataTypes.STRING(128), allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  webhook_type: { type: DataTypes.STRING(64), allowNull: true },
  transaction_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    defaultValue: literal('((pg_current_xact_id())::text)::bigint'),
  },
});
