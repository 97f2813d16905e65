import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** The latest question to the upstream about a flow, also about one that is not there. */
const columns = {
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  flow_id: column({ type: DataTypes.STRING(64), allowNull: false, primaryKey: true }),
  read_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  outcome: columnOf<'reading' | 'fresh' | 'away' | 'gone'>()({ type: DataTypes.STRING(16), allowNull: false }),
};

/** Columns of a row of `flow_reads`. */
export type FlowReadRow = RowOf<typeof columns>;

/** Binds the table `flow_reads`. */
export const flowReadTable = defineTable('FlowRead', 'flow_reads', columns);
