import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A move into a notifying stage, frozen as it was (specification 3.3). */
export interface TicketStageMoveRow {
  id: number;
  workspace_id: number;
  ticket_id: number;
  stage_id: number;
  stage_name: string;
  template_pk: number | null;
  template: Record<string, unknown>;
  variables: Record<string, unknown>;
  ticket_values: Record<string, unknown>;
  recipient_ids: number[];
  actor_member_id: number | null;
  api_key_id: number | null;
  prepared_at: Date | null;
  completed_at: Date | null;
  touched_at: Date;
  created_at: Date;
}

/** Binds the table `ticket_stage_moves`. */
export const ticketStageMoveTable = defineTable<TicketStageMoveRow>('TicketStageMove', 'ticket_stage_moves', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  ticket_id: { type: DataTypes.INTEGER },
  stage_id: { type: DataTypes.INTEGER },
  stage_name: { type: DataTypes.STRING(255) },
  template_pk: { type: DataTypes.INTEGER, allowNull: true },
  template: { type: DataTypes.JSONB },
  variables: { type: DataTypes.JSONB },
  ticket_values: { type: DataTypes.JSONB },
  recipient_ids: { type: DataTypes.ARRAY(DataTypes.INTEGER) },
  actor_member_id: { type: DataTypes.INTEGER, allowNull: true },
  api_key_id: { type: DataTypes.INTEGER, allowNull: true },
  prepared_at: { type: DataTypes.DATE(3), allowNull: true },
  completed_at: { type: DataTypes.DATE(3), allowNull: true },
  touched_at: { type: DataTypes.DATE(3) },
  created_at: { type: DataTypes.DATE(3) },
});
