import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A way that tickets take (specification 2.6). */
export interface TicketPipelineRow {
  id: number;
  workspace_id: number;
  name: string;
  description: string;
  position: number;
  is_default: boolean;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `ticket_pipelines`. */
export const ticketPipelineTable = defineTable<TicketPipelineRow>('TicketPipeline', 'ticket_pipelines', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  name: { type: DataTypes.STRING(255) },
  description: { type: DataTypes.TEXT },
  position: { type: DataTypes.INTEGER },
  is_default: { type: DataTypes.BOOLEAN },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
