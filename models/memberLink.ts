import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** The links by which a member may choose a password; only the hashes of their tokens are stored. */
const columns = {
  token_hash: column({ type: DataTypes.BLOB, allowNull: false, primaryKey: true }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  expires_at: column({ type: DataTypes.DATE(3), allowNull: false }),
};

/** Binds the table `member_links`. */
export const memberLinkTable = defineTable('MemberLink', 'member_links', columns);
