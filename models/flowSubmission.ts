import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** What a customer answered in a flow. */
interface FlowSubmissionModel extends Model<
  InferAttributes<FlowSubmissionModel>,
  InferCreationAttributes<FlowSubmissionModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  contact_id: number;
  flow_id: string | null;
  wamid: string;
  response: Record<string, unknown>;
  submitted_at: Date;
  created_at: CreationOptional<Date>;
}

/** Columns of a row of `flow_submissions`. */
export type FlowSubmissionRow = InferAttributes<FlowSubmissionModel>;

/** Binds the table `flow_submissions`. */
export const flowSubmissionTable = defineTable<FlowSubmissionModel>('FlowSubmission', 'flow_submissions', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  contact_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'contacts', key: 'id' },
    onDelete: 'CASCADE',
  },
  flow_id: { type: DataTypes.STRING(64), allowNull: true },
  wamid: { type: DataTypes.STRING(255), allowNull: false },
  response: { type: DataTypes.JSONB, allowNull: false },
  submitted_at: { type: DataTypes.DATE(3), allowNull: false },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
