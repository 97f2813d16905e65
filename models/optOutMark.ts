import { DataTypes, type InferAttributes, type InferCreationAttributes, type Model } from 'sequelize';
import { defineTable } from './table';

/** What is left of an erased contact who had opted out. */
interface OptOutMarkModel extends Model<InferAttributes<OptOutMarkModel>, InferCreationAttributes<OptOutMarkModel>> {
  workspace_id: number;
  identity_hash: Buffer;
  opted_out_at: Date;
  source: string;
}

/** Binds the table `opt_out_marks`. */
export const optOutMarkTable = defineTable<OptOutMarkModel>('OptOutMark', 'opt_out_marks', {
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  identity_hash: { type: DataTypes.BLOB, allowNull: false, primaryKey: true },
  opted_out_at: { type: DataTypes.DATE(3), allowNull: false },
  source: { type: DataTypes.STRING(16), allowNull: false },
});
