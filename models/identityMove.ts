import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A change of identity that waits for the contact it speaks of (upstream-wire.md 2.8). */
export interface IdentityMoveRow {
  id: number;
  workspace_id: number;
  old_phone: string | null;
  old_bsuid: string | null;
  new_phone: string | null;
  new_bsuid: string | null;
  moved_at: Date;
  created_at: Date;
}

/** Binds the table `identity_moves`. */
export const identityMoveTable = defineTable<IdentityMoveRow>('IdentityMove', 'identity_moves', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  old_phone: { type: DataTypes.STRING(32), allowNull: true },
  old_bsuid: { type: DataTypes.STRING(160), allowNull: true },
  new_phone: { type: DataTypes.STRING(32), allowNull: true },
  new_bsuid: { type: DataTypes.STRING(160), allowNull: true },
  moved_at: { type: DataTypes.DATE(3) },
  created_at: { type: DataTypes.DATE(3) },
});
