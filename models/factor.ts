import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** What is kept of a passkey: nothing of it is secret. */
export interface StoredPasskey {
  readonly id: string;
  readonly publicKey: string;
  readonly counter: number;
}

/** Something that a member proves beside the password, or their recovery codes. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  kind: columnOf<'totp' | 'passkey' | 'recovery'>()({ type: DataTypes.STRING(16), allowNull: false }),
  name: column({ type: DataTypes.STRING(64), allowNull: false }),
  /** The sealed secret of an authenticator app. */
  secret: column({ type: DataTypes.TEXT, allowNull: true }),
  /** The newest time step whose code was taken: a code works once. */
  last_step: column({ type: DataTypes.BIGINT, allowNull: true }),
  passkey: columnOf<StoredPasskey | null>()({ type: DataTypes.JSONB, allowNull: true }),
  /** SHA-256 of each recovery code that is left, in hexadecimal. */
  codes: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  last_used_at: column({ type: DataTypes.DATE(3), allowNull: true }),
};

/** Columns of a row of `factors`. */
export type FactorRow = RowOf<typeof columns>;

/** Binds the table `factors`. */
export const factorTable = defineTable('Factor', 'factors', columns);
