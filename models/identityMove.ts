import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable, type RowOf } from './table';

/**
 * A change of a customer's phone or user id that was announced before the contact was known; it is applied once it is.
 */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  old_phone: column({ type: DataTypes.STRING(32), allowNull: true }),
  old_bsuid: column({ type: DataTypes.STRING(160), allowNull: true }),
  new_phone: column({ type: DataTypes.STRING(32), allowNull: true }),
  new_bsuid: column({ type: DataTypes.STRING(160), allowNull: true }),
  moved_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `identity_moves`. */
export type IdentityMoveRow = RowOf<typeof columns>;

/** Binds the table `identity_moves`. */
export const identityMoveTable = defineTable('IdentityMove', 'identity_moves', columns);
