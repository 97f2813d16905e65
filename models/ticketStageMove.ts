import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A move into a notifying stage, frozen as it was. */
interface TicketStageMoveModel extends Model<
  InferAttributes<TicketStageMoveModel>,
  InferCreationAttributes<TicketStageMoveModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  ticket_id: number;
  stage_id: number;
  stage_name: string;
  template_pk: number | null;
  template: Record<string, unknown>;
  variables: Readonly<Record<string, unknown>>;
  ticket_values: Readonly<Record<string, unknown>>;
  actor_member_id: number | null;
  api_key_id: number | null;
  prepared_at: Date | null;
  completed_at: Date | null;
  touched_at: CreationOptional<Date>;
  created_at: CreationOptional<Date>;
  recipient_ids: CreationOptional<number[]>;
  /** What the mapping takes from each contact, by its id. */
  recipient_values: CreationOptional<Record<string, unknown>>;
}

/** Binds the table `ticket_stage_moves`. */
export const ticketStageMoveTable = defineTable<TicketStageMoveModel>('TicketStageMove', 'ticket_stage_moves', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.BIGINT, allowNull: false },
  ticket_id: { type: DataTypes.BIGINT, allowNull: false },
  stage_id: { type: DataTypes.BIGINT, allowNull: false },
  stage_name: { type: DataTypes.STRING(255), allowNull: false },
  template_pk: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'templates', key: 'id' },
    onDelete: 'SET NULL',
  },
  template: { type: DataTypes.JSONB, allowNull: false },
  variables: { type: DataTypes.JSONB, allowNull: false },
  ticket_values: { type: DataTypes.JSONB, allowNull: false },
  actor_member_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  api_key_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'api_keys', key: 'id' },
    onDelete: 'SET NULL',
  },
  prepared_at: { type: DataTypes.DATE(3), allowNull: true },
  completed_at: { type: DataTypes.DATE(3), allowNull: true },
  touched_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  recipient_ids: { type: DataTypes.ARRAY(DataTypes.BIGINT), allowNull: false, defaultValue: [] },
  recipient_values: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
});
