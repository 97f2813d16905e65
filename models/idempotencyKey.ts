import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A claimed Idempotency-Key and the answer to replay. */
interface IdempotencyKeyModel extends Model<
  InferAttributes<IdempotencyKeyModel>,
  InferCreationAttributes<IdempotencyKeyModel>
> {
  credential: string;
  path: string;
  key: string;
  fingerprint: Buffer;
  claim: string;
  claimed_at: CreationOptional<Date>;
  status: number | null;
  /** Null beside a status: the answer was erased. */
  body: string | null;
  finished_at: Date | null;
  workspace_id: number | null;
  /** What the request made. */
  subject_id: number | null;
  /** Free for another try of the same body. */
  released: CreationOptional<boolean>;
}

/** Binds the table `idempotency_keys`. */
export const idempotencyKeyTable = defineTable<IdempotencyKeyModel>('IdempotencyKey', 'idempotency_keys', {
  credential: { type: DataTypes.STRING(64), allowNull: false, primaryKey: true },
  path: { type: DataTypes.STRING(512), allowNull: false, primaryKey: true },
  key: { type: DataTypes.STRING(255), allowNull: false, primaryKey: true },
  fingerprint: { type: DataTypes.BLOB, allowNull: false },
  claim: { type: DataTypes.UUID, allowNull: false },
  claimed_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  status: { type: DataTypes.INTEGER, allowNull: true },
  body: { type: DataTypes.TEXT, allowNull: true },
  finished_at: { type: DataTypes.DATE(3), allowNull: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  subject_id: { type: DataTypes.BIGINT, allowNull: true },
  released: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
});
