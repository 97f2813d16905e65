import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
  type NonAttribute,
} from 'sequelize';
import type { TemplateRow } from './template';
import { defineTable } from './table';

/** A step of a pipeline. */
export interface TicketStageModel extends Model<
  InferAttributes<TicketStageModel>,
  InferCreationAttributes<TicketStageModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  pipeline_id: number;
  name: string;
  position: number;
  color: CreationOptional<string>;
  is_terminal: CreationOptional<boolean>;
  pauses_sla: CreationOptional<boolean>;
  notify_template_pk: number | null;
  notify_template_variables: CreationOptional<Record<string, unknown>>;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
  notify_template?: NonAttribute<Pick<TemplateRow, 'template_id' | 'name'> | null>;
}

/** Columns of a row of `ticket_stages`. */
export type TicketStageRow = InferAttributes<TicketStageModel>;

/** Binds the table `ticket_stages`. */
export const ticketStageTable = defineTable<TicketStageModel>('TicketStage', 'ticket_stages', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.BIGINT, allowNull: false },
  pipeline_id: { type: DataTypes.BIGINT, allowNull: false },
  name: { type: DataTypes.STRING(255), allowNull: false },
  position: { type: DataTypes.INTEGER, allowNull: false },
  color: { type: DataTypes.STRING(7), allowNull: false, defaultValue: '#64748B' },
  is_terminal: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  pauses_sla: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  notify_template_pk: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'templates', key: 'id' },
    onDelete: 'SET NULL',
  },
  notify_template_variables: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
