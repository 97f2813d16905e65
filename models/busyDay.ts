import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** For how long API processes worked for a workspace on a day. */
const columns = {
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  day: column({ type: DataTypes.DATEONLY, allowNull: false, primaryKey: true }),
  ms: column({ type: DataTypes.BIGINT, allowNull: false }),
};

/** Binds the table `busy_days`. */
export const busyDayTable = defineTable('BusyDay', 'busy_days', columns);
