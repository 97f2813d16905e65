import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
  type NonAttribute,
} from 'sequelize';
import type { TicketStageModel } from './ticketStage';
import { defineTable } from './table';

/** A way that tickets take. */
interface TicketPipelineModel extends Model<
  InferAttributes<TicketPipelineModel>,
  InferCreationAttributes<TicketPipelineModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  name: string;
  description: CreationOptional<string>;
  position: number;
  is_default: CreationOptional<boolean>;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
  stages?: NonAttribute<TicketStageModel[]>;
}

/** Columns of a row of `ticket_pipelines`. */
export type TicketPipelineRow = InferAttributes<TicketPipelineModel>;

/** Binds the table `ticket_pipelines`. */
export const ticketPipelineTable = defineTable<TicketPipelineModel>('TicketPipeline', 'ticket_pipelines', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  name: { type: DataTypes.STRING(255), allowNull: false },
  description: { type: DataTypes.TEXT, allowNull: false, defaultValue: '' },
  position: { type: DataTypes.INTEGER, allowNull: false },
  is_default: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
