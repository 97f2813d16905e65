import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** What happened: activity trails read it, outgoing webhooks will (specification 6). */
export interface ActivityEventRow {
  id: number;
  seq: number | null;
  workspace_id: number;
  subject_type: string;
  subject_id: number;
  kind: string;
  actor_type: 'member' | 'api_key' | 'agent' | 'system' | 'contact';
  actor_member_id: number | null;
  api_key_id: number | null;
  changes: Record<string, unknown>;
  data: Record<string, unknown>;
  request_id: string | null;
  created_at: Date;
}

/** Binds the table `events`. */
export const activityEventTable = defineTable<ActivityEventRow>('ActivityEvent', 'events', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  seq: { type: DataTypes.BIGINT, allowNull: true },
  workspace_id: { type: DataTypes.INTEGER },
  subject_type: { type: DataTypes.STRING(32) },
  subject_id: { type: DataTypes.INTEGER },
  kind: { type: DataTypes.STRING(64) },
  actor_type: { type: DataTypes.STRING(16) },
  actor_member_id: { type: DataTypes.INTEGER, allowNull: true },
  api_key_id: { type: DataTypes.INTEGER, allowNull: true },
  changes: { type: DataTypes.JSONB },
  data: { type: DataTypes.JSONB },
  request_id: { type: DataTypes.STRING(128), allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
});
