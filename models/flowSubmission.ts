import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** What a customer answered in a flow. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  contact_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'contacts', key: 'id' },
    onDelete: 'CASCADE',
  }),
  flow_id: column({ type: DataTypes.STRING(64), allowNull: true }),
  wamid: column({ type: DataTypes.STRING(255), allowNull: false }),
  response: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false }),
  submitted_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `flow_submissions`. */
export type FlowSubmissionRow = RowOf<typeof columns>;

/** Binds the table `flow_submissions`. */
export const flowSubmissionTable = defineTable('FlowSubmission', 'flow_submissions', columns);
