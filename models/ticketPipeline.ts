import { literal, type NonAttribute } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { TicketStageModel } from './ticketStage';
import { column, defineTable, type RowOf } from './table';

/** A way that tickets take. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  name: column({ type: DataTypes.STRING(255), allowNull: false }),
  description: column({ type: DataTypes.TEXT, allowNull: false, defaultValue: '' }),
  position: column({ type: DataTypes.INTEGER, allowNull: false }),
  is_default: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `ticket_pipelines`. */
export type TicketPipelineRow = RowOf<typeof columns>;

/** What it may be read with. */
interface Included {
  stages?: NonAttribute<TicketStageModel[]>;
}

/** Binds the table `ticket_pipelines`. */
export const ticketPipelineTable = defineTable<typeof columns, Included>('TicketPipeline', 'ticket_pipelines', columns);
