import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable } from './table';

/** A signed-in dashboard session; only the hash of its token is stored. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  token_hash: column({ type: DataTypes.BLOB, allowNull: false }),
  csrf_secret: column({ type: DataTypes.STRING(64), allowNull: false }),
  /** Whether a second factor was proved, is still awaited, or was not asked for. */
  factor: columnOf<'none' | 'awaited' | 'proved'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    defaultValue: 'none',
  }),
  /** Opened by the company's provider. */
  is_sso: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  /** When the member last proved who they are. */
  verified_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  /** What the browser called itself when it signed in. */
  user_agent: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  /** The network that it signed in from. */
  address: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: '' }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  last_used_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  expires_at: column({ type: DataTypes.DATE(3), allowNull: false }),
};

/** Binds the table `sessions`. */
export const sessionTable = defineTable('Session', 'sessions', columns);
