import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A claimed Idempotency-Key and the answer to replay (contract C3). */
export interface IdempotencyKeyRow {
  credential: string;
  path: string;
  key: string;
  fingerprint: Buffer;
  claim: string;
  claimed_at: Date;
  status: number | null;
  body: string | null;
  finished_at: Date | null;
}

/** Binds the table `idempotency_keys`. */
export const idempotencyKeyTable = defineTable<IdempotencyKeyRow>('IdempotencyKey', 'idempotency_keys', {
  credential: { type: DataTypes.STRING(64), primaryKey: true },
  path: { type: DataTypes.STRING(512), primaryKey: true },
  key: { type: DataTypes.STRING(255), primaryKey: true },
  fingerprint: { type: DataTypes.BLOB },
  claim: { type: DataTypes.UUID },
  claimed_at: { type: DataTypes.DATE(3) },
  status: { type: DataTypes.INTEGER, allowNull: true },
  body: { type: DataTypes.TEXT, allowNull: true },
  finished_at: { type: DataTypes.DATE(3), allowNull: true },
});
