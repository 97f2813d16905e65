import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A step of a pipeline (specification 2.6). */
export interface TicketStageRow {
  id: number;
  workspace_id: number;
  pipeline_id: number;
  name: string;
  position: number;
  color: string;
  is_terminal: boolean;
  pauses_sla: boolean;
  notify_template_pk: number | null;
  notify_template_variables: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `ticket_stages`. */
export const ticketStageTable = defineTable<TicketStageRow>('TicketStage', 'ticket_stages', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  pipeline_id: { type: DataTypes.INTEGER },
  name: { type: DataTypes.STRING(255) },
  position: { type: DataTypes.INTEGER },
  color: { type: DataTypes.STRING(7) },
  is_terminal: { type: DataTypes.BOOLEAN },
  pauses_sla: { type: DataTypes.BOOLEAN },
  notify_template_pk: { type: DataTypes.INTEGER, allowNull: true },
  notify_template_variables: { type: DataTypes.JSONB },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
