import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A bulk send of a template (specification 2.12, contract C9). */
export interface BroadcastRow {
  id: number;
  workspace_id: number;
  name: string;
  template_pk: number | null;
  phone_number_id: number | null;
  audience: unknown;
  template_variables: unknown;
  status: 'draft' | 'scheduled' | 'running' | 'completed' | 'failed';
  failure_reason: string;
  scheduled_at: Date | null;
  confirmed_at: Date | null;
  started_at: Date | null;
  resolved_at: Date | null;
  completed_at: Date | null;
  version: number;
  created_by_member_id: number | null;
  api_key_id: number | null;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `broadcasts`. */
export const broadcastTable = defineTable<BroadcastRow>('Broadcast', 'broadcasts', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  name: { type: DataTypes.STRING(255) },
  template_pk: { type: DataTypes.INTEGER, allowNull: true },
  phone_number_id: { type: DataTypes.INTEGER, allowNull: true },
  audience: { type: DataTypes.JSONB },
  template_variables: { type: DataTypes.JSONB },
  status: { type: DataTypes.STRING(16) },
  failure_reason: { type: DataTypes.TEXT },
  scheduled_at: { type: DataTypes.DATE(3), allowNull: true },
  confirmed_at: { type: DataTypes.DATE(3), allowNull: true },
  started_at: { type: DataTypes.DATE(3), allowNull: true },
  resolved_at: { type: DataTypes.DATE(3), allowNull: true },
  completed_at: { type: DataTypes.DATE(3), allowNull: true },
  version: { type: DataTypes.INTEGER },
  created_by_member_id: { type: DataTypes.INTEGER, allowNull: true },
  api_key_id: { type: DataTypes.INTEGER, allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
