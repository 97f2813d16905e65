import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A mail that is still to be sent to a member; its text and the token of its link are made when it is sent. */
const columns = {
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  kind: columnOf<'link' | 'factorAdded' | 'factorsLost' | 'bell'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    primaryKey: true,
  }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  /** It is not sent after this time. */
  expires_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  /** Until this time a worker is sending it, or it waits after a failed attempt. */
  claimed_until: column({ type: DataTypes.DATE(3), allowNull: true }),
};

/** Columns of a row of `mails`. */
export type MailRow = RowOf<typeof columns>;

/** Binds the table `mails`. */
export const mailTable = defineTable('Mail', 'mails', columns);
