import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A mail that a member is still to get; its words, and the token of its link, are made when it is sent. */
const columns = {
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  kind: columnOf<'link' | 'factorAdded' | 'factorsLost'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    primaryKey: true,
  }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  /** From then on it is not worth sending. */
  expires_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  /** Until then it is being sent, or rests after it was refused. */
  claimed_until: column({ type: DataTypes.DATE(3), allowNull: true }),
};

/** Columns of a row of `letters`. */
export type LetterRow = RowOf<typeof columns>;

/** Binds the table `letters`. */
export const letterTable = defineTable('Letter', 'letters', columns);
