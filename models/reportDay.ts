import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** What began, was answered and was resolved of the conversations of a day. */
const columns = {
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  // What the day is summed up by, and its value; empty: none.
  kind: column({ type: DataTypes.STRING(16), allowNull: false, primaryKey: true }),
  day: column({ type: DataTypes.DATEONLY, allowNull: false, primaryKey: true }),
  key: column({ type: DataTypes.STRING(255), allowNull: false, primaryKey: true }),
  started: column({ type: DataTypes.INTEGER, allowNull: false }),
  answered: column({ type: DataTypes.INTEGER, allowNull: false }),
  first_response_seconds: column({ type: DataTypes.BIGINT, allowNull: false }),
  resolved: column({ type: DataTypes.INTEGER, allowNull: false }),
  resolution_seconds: column({ type: DataTypes.BIGINT, allowNull: false }),
  rated: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  satisfied: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
};

/** Binds the table `report_days`. */
export const reportDayTable = defineTable('ReportDay', 'report_days', columns);
