import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** A file whose row is gone, and whose bytes are still to be taken out of the store. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  // No foreign key: it outlives its workspace.
  workspace_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  public_id: column({ type: DataTypes.STRING(36), allowNull: false }),
};

/** Binds the table `removed_files`. */
export const removedFileTable = defineTable('RemovedFile', 'removed_files', columns);
