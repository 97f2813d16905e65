import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { Priority, Severity, TicketOutcome, TicketSource, TicketType } from './enums';
import { column, columnOf, defineTable, type RowOf } from './table';

/** Support work that outlives a chat. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  title: column({ type: DataTypes.STRING(255), allowNull: false }),
  description: column({ type: DataTypes.TEXT, allowNull: false, defaultValue: '' }),
  pipeline_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  stage_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  receiver_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'contacts', key: 'id' },
    onDelete: 'SET NULL',
  }),
  assigned_to_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  assigned_inbox_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'team_inboxes', key: 'id' },
    onDelete: 'SET NULL',
  }),
  parent_ticket_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'tickets', key: 'id' },
    onDelete: 'SET NULL',
  }),
  duplicate_of_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'tickets', key: 'id' },
    onDelete: 'SET NULL',
  }),
  reopened_count: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  last_customer_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  escalated_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  escalated_to_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  created_by_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  due_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  type: columnOf<TicketType>()({ type: DataTypes.STRING(16), allowNull: false, defaultValue: 'other' }),
  severity: columnOf<Severity>()({ type: DataTypes.STRING(8), allowNull: false, defaultValue: 'sev3' }),
  priority: columnOf<Priority>()({ type: DataTypes.STRING(8), allowNull: false, defaultValue: 'normal' }),
  source: columnOf<TicketSource>()({ type: DataTypes.STRING(8), allowNull: false, defaultValue: 'api' }),
  outcome: columnOf<TicketOutcome>()({ type: DataTypes.STRING(24), allowNull: true }),
  sla_policy_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'sla_policies', key: 'id' },
    onDelete: 'SET NULL',
  }),
  first_response_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  first_response_sla: column({ type: DataTypes.DATE(3), allowNull: true }),
  resolution_sla: column({ type: DataTypes.DATE(3), allowNull: true }),
  sla_paused_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  sla_paused_ms: column({ type: DataTypes.BIGINT, allowNull: false, defaultValue: 0 }),
  sla_breached: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  sla_version: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  closed_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  tags: column({ type: DataTypes.JSONB, allowNull: false, defaultValue: [] }),
  custom_fields: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `tickets`. */
export type TicketRow = RowOf<typeof columns>;

/** Binds the table `tickets`. */
export const ticketTable = defineTable('Ticket', 'tickets', columns);
