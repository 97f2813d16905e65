import { literal, type NonAttribute } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { TemplateRow } from './template';
import { column, columnOf, defineTable, type ModelOf, type RowOf } from './table';

/** A step of a pipeline. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  pipeline_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  name: column({ type: DataTypes.STRING(255), allowNull: false }),
  position: column({ type: DataTypes.INTEGER, allowNull: false }),
  color: column({ type: DataTypes.STRING(7), allowNull: false, defaultValue: '#64748B' }),
  is_terminal: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  pauses_sla: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  notify_template_pk: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'templates', key: 'id' },
    onDelete: 'SET NULL',
  }),
  notify_template_media_id: column({ type: DataTypes.STRING(36), allowNull: true }),
  notify_template_variables: columnOf<Record<string, unknown>>()({
    type: DataTypes.JSONB,
    allowNull: false,
    defaultValue: {},
  }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `ticket_stages`. */
export type TicketStageRow = RowOf<typeof columns>;

/** What it may be read with. */
interface Included {
  notify_template?: NonAttribute<Pick<TemplateRow, 'template_id' | 'name'> | null>;
}

/** A row of it. */
export type TicketStageModel = ModelOf<typeof columns, Included>;

/** Binds the table `ticket_stages`. */
export const ticketStageTable = defineTable<typeof columns, Included>('TicketStage', 'ticket_stages', columns);
