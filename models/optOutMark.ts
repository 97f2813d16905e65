import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** What is left of an erased contact who had opted out. */
const columns = {
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  identity_hash: column({ type: DataTypes.BLOB, allowNull: false, primaryKey: true }),
  opted_out_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  source: column({ type: DataTypes.STRING(16), allowNull: false }),
};

/** Binds the table `opt_out_marks`. */
export const optOutMarkTable = defineTable('OptOutMark', 'opt_out_marks', columns);
