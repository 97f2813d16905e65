import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A customer's attachment or a member's upload; its bytes lie in the file store. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  public_id: column({
    type: DataTypes.STRING(36),
    allowNull: false,
    defaultValue: literal("('med_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text))"),
  }),
  origin: columnOf<'customer' | 'upload'>()({ type: DataTypes.STRING(8), allowNull: false }),
  status: columnOf<'pending' | 'stored' | 'lost'>()({
    type: DataTypes.STRING(8),
    allowNull: false,
    defaultValue: 'pending',
  }),
  error: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  mime_type: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  filename: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  size: column({ type: DataTypes.BIGINT, allowNull: true }),
  sha256: column({ type: DataTypes.STRING(64), allowNull: true }),
  message_type: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  phone_number_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'SET NULL',
  }),
  platform_id: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: '' }),
  attempts: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  /** How often the platform said that it has no such file. */
  gone_answers: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  next_attempt_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  fetch_until: column({ type: DataTypes.DATE(3), allowNull: true }),
  look_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `files`. */
export type StoredFileRow = RowOf<typeof columns>;

/** Binds the table `files`. */
export const storedFileTable = defineTable('StoredFile', 'files', columns);
