import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** Support work that outlives a chat (specification 2.4). */
export interface TicketRow {
  id: number;
  workspace_id: number;
  title: string;
  description: string;
  pipeline_id: number;
  stage_id: number;
  receiver_id: number | null;
  assigned_to_id: number | null;
  assigned_inbox_id: number | null;
  parent_ticket_id: number | null;
  duplicate_of_id: number | null;
  reopened_count: number;
  last_customer_at: Date | null;
  escalated_at: Date | null;
  escalated_to_id: number | null;
  created_by_id: number | null;
  due_at: Date | null;
  type: 'complaint' | 'refund' | 'dispute' | 'bug' | 'feature' | 'review' | 'approval' | 'ops' | 'sales' | 'other';
  severity: 'sev1' | 'sev2' | 'sev3' | 'sev4';
  priority: 'low' | 'normal' | 'high' | 'urgent';
  source: 'msgapp' | 'manual' | 'api';
  outcome: 'resolved' | 'refunded' | 'rejected' | 'escalated_external' | null;
  sla_policy_id: number | null;
  first_response_at: Date | null;
  first_response_sla: Date | null;
  resolution_sla: Date | null;
  sla_paused_at: Date | null;
  sla_paused_ms: number;
  sla_breached: boolean;
  sla_version: number;
  closed_at: Date | null;
  tags: unknown;
  custom_fields: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `tickets`. */
export const ticketTable = defineTable<TicketRow>('Ticket', 'tickets', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  title: { type: DataTypes.STRING(255) },
  description: { type: DataTypes.TEXT },
  pipeline_id: { type: DataTypes.INTEGER },
  stage_id: { type: DataTypes.INTEGER },
  receiver_id: { type: DataTypes.INTEGER, allowNull: true },
  assigned_to_id: { type: DataTypes.INTEGER, allowNull: true },
  assigned_inbox_id: { type: DataTypes.INTEGER, allowNull: true },
  parent_ticket_id: { type: DataTypes.INTEGER, allowNull: true },
  duplicate_of_id: { type: DataTypes.INTEGER, allowNull: true },
  reopened_count: { type: DataTypes.INTEGER },
  last_customer_at: { type: DataTypes.DATE(3), allowNull: true },
  escalated_at: { type: DataTypes.DATE(3), allowNull: true },
  escalated_to_id: { type: DataTypes.INTEGER, allowNull: true },
  created_by_id: { type: DataTypes.INTEGER, allowNull: true },
  due_at: { type: DataTypes.DATE(3), allowNull: true },
  type: { type: DataTypes.STRING(16) },
  severity: { type: DataTypes.STRING(8) },
  priority: { type: DataTypes.STRING(8) },
  source: { type: DataTypes.STRING(8) },
  outcome: { type: DataTypes.STRING(24), allowNull: true },
  sla_policy_id: { type: DataTypes.INTEGER, allowNull: true },
  first_response_at: { type: DataTypes.DATE(3), allowNull: true },
  first_response_sla: { type: DataTypes.DATE(3), allowNull: true },
  resolution_sla: { type: DataTypes.DATE(3), allowNull: true },
  sla_paused_at: { type: DataTypes.DATE(3), allowNull: true },
  sla_paused_ms: { type: DataTypes.BIGINT },
  sla_breached: { type: DataTypes.BOOLEAN },
  sla_version: { type: DataTypes.INTEGER },
  closed_at: { type: DataTypes.DATE(3), allowNull: true },
  tags: { type: DataTypes.JSONB },
  custom_fields: { type: DataTypes.JSONB },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
