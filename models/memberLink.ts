import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** The newest link by which a member may choose a password; only the hash of its token is stored. */
const columns = {
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  token_hash: column({ type: DataTypes.BLOB, allowNull: false }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  expires_at: column({ type: DataTypes.DATE(3), allowNull: false }),
};

/** Binds the table `member_links`. */
export const memberLinkTable = defineTable('MemberLink', 'member_links', columns);
