import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import type { Priority, Severity, TicketOutcome, TicketSource, TicketType } from './enums';
import { defineTable } from './table';

/** Support work that outlives a chat. */
interface TicketModel extends Model<InferAttributes<TicketModel>, InferCreationAttributes<TicketModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  title: string;
  description: CreationOptional<string>;
  pipeline_id: number;
  stage_id: number;
  receiver_id: number | null;
  assigned_to_id: number | null;
  assigned_inbox_id: number | null;
  parent_ticket_id: number | null;
  duplicate_of_id: number | null;
  reopened_count: CreationOptional<number>;
  last_customer_at: Date | null;
  escalated_at: Date | null;
  escalated_to_id: number | null;
  created_by_id: number | null;
  due_at: Date | null;
  type: CreationOptional<TicketType>;
  severity: CreationOptional<Severity>;
  priority: CreationOptional<Priority>;
  source: CreationOptional<TicketSource>;
  outcome: TicketOutcome | null;
  sla_policy_id: number | null;
  first_response_at: Date | null;
  first_response_sla: Date | null;
  resolution_sla: Date | null;
  sla_paused_at: Date | null;
  sla_paused_ms: CreationOptional<number>;
  sla_breached: CreationOptional<boolean>;
  sla_version: CreationOptional<number>;
  closed_at: Date | null;
  tags: unknown;
  custom_fields: CreationOptional<Record<string, unknown>>;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
}

/** Columns of a row of `tickets`. */
export type TicketRow = InferAttributes<TicketModel>;

/** Binds the table `tickets`. */
export const ticketTable = defineTable<TicketModel>('Ticket', 'tickets', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  title: { type: DataTypes.STRING(255), allowNull: false },
  description: { type: DataTypes.TEXT, allowNull: false, defaultValue: '' },
  pipeline_id: { type: DataTypes.BIGINT, allowNull: false },
  stage_id: { type: DataTypes.BIGINT, allowNull: false },
  receiver_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'contacts', key: 'id' },
    onDelete: 'SET NULL',
  },
  assigned_to_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  assigned_inbox_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'team_inboxes', key: 'id' },
    onDelete: 'SET NULL',
  },
  parent_ticket_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'tickets', key: 'id' },
    onDelete: 'SET NULL',
  },
  duplicate_of_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'tickets', key: 'id' },
    onDelete: 'SET NULL',
  },
  reopened_count: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  last_customer_at: { type: DataTypes.DATE(3), allowNull: true },
  escalated_at: { type: DataTypes.DATE(3), allowNull: true },
  escalated_to_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  created_by_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  due_at: { type: DataTypes.DATE(3), allowNull: true },
  type: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'other' },
  severity: { type: DataTypes.STRING(8), allowNull: false, defaultValue: 'sev3' },
  priority: { type: DataTypes.STRING(8), allowNull: false, defaultValue: 'normal' },
  source: { type: DataTypes.STRING(8), allowNull: false, defaultValue: 'api' },
  outcome: { type: DataTypes.STRING(24), allowNull: true },
  sla_policy_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'sla_policies', key: 'id' },
    onDelete: 'SET NULL',
  },
  first_response_at: { type: DataTypes.DATE(3), allowNull: true },
  first_response_sla: { type: DataTypes.DATE(3), allowNull: true },
  resolution_sla: { type: DataTypes.DATE(3), allowNull: true },
  sla_paused_at: { type: DataTypes.DATE(3), allowNull: true },
  sla_paused_ms: { type: DataTypes.BIGINT, allowNull: false, defaultValue: 0 },
  sla_breached: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  sla_version: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  closed_at: { type: DataTypes.DATE(3), allowNull: true },
  tags: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
  custom_fields: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
