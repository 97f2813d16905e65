import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** What is left of an erased contact who had opted out (contract C5). */
export interface OptOutMarkRow {
  workspace_id: number;
  identity_hash: Buffer;
  opted_out_at: Date;
  source: string;
}

/** Binds the table `opt_out_marks`. */
export const optOutMarkTable = defineTable<OptOutMarkRow>('OptOutMark', 'opt_out_marks', {
  workspace_id: { type: DataTypes.INTEGER, primaryKey: true },
  identity_hash: { type: DataTypes.BLOB, primaryKey: true },
  opted_out_at: { type: DataTypes.DATE(3) },
  source: { type: DataTypes.STRING(16) },
});
