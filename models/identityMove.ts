import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A change of identity that waits for the contact it speaks of. */
interface IdentityMoveModel extends Model<
  InferAttributes<IdentityMoveModel>,
  InferCreationAttributes<IdentityMoveModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  old_phone: string | null;
  old_bsuid: string | null;
  new_phone: string | null;
  new_bsuid: string | null;
  moved_at: Date;
  created_at: CreationOptional<Date>;
}

/** Columns of a row of `identity_moves`. */
export type IdentityMoveRow = InferAttributes<IdentityMoveModel>;

/** Binds the table `identity_moves`. */
export const identityMoveTable = defineTable<IdentityMoveModel>('IdentityMove', 'identity_moves', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  old_phone: { type: DataTypes.STRING(32), allowNull: true },
  old_bsuid: { type: DataTypes.STRING(160), allowNull: true },
  new_phone: { type: DataTypes.STRING(32), allowNull: true },
  new_bsuid: { type: DataTypes.STRING(160), allowNull: true },
  moved_at: { type: DataTypes.DATE(3), allowNull: false },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
