import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** A claimed Idempotency-Key and the answer to replay. */
const columns = {
  credential: column({ type: DataTypes.STRING(64), allowNull: false, primaryKey: true }),
  path: column({ type: DataTypes.STRING(512), allowNull: false, primaryKey: true }),
  key: column({ type: DataTypes.STRING(255), allowNull: false, primaryKey: true }),
  fingerprint: column({ type: DataTypes.BLOB, allowNull: false }),
  claim: column({ type: DataTypes.UUID, allowNull: false }),
  claimed_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  status: column({ type: DataTypes.INTEGER, allowNull: true }),
  /** Null beside a status: the answer was erased. */
  body: column({ type: DataTypes.TEXT, allowNull: true }),
  finished_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  /** What the request made. */
  subject_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  /** Free for another try of the same body. */
  released: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
};

/** Binds the table `idempotency_keys`. */
export const idempotencyKeyTable = defineTable('IdempotencyKey', 'idempotency_keys', columns);
