import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A stored upstream webhook item, to be processed once in effect (contract C7). */
export interface InboxEventRow {
  id: number;
  workspace_id: number;
  business_account_id: number;
  kind: string;
  order_key: string;
  payload: unknown;
  state: 'new' | 'done' | 'parked';
  attempts: number;
  available_at: Date;
  error: string | null;
  received_at: Date;
  processed_at: Date | null;
}

/** Binds the table `inbox_events`. */
export const inboxEventTable = defineTable<InboxEventRow>('InboxEvent', 'inbox_events', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  business_account_id: { type: DataTypes.INTEGER },
  kind: { type: DataTypes.STRING(64) },
  order_key: { type: DataTypes.STRING(200) },
  payload: { type: DataTypes.JSONB },
  state: { type: DataTypes.STRING(8) },
  attempts: { type: DataTypes.INTEGER },
  available_at: { type: DataTypes.DATE(3) },
  error: { type: DataTypes.TEXT, allowNull: true },
  received_at: { type: DataTypes.DATE(3) },
  processed_at: { type: DataTypes.DATE(3), allowNull: true },
});
