import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** One consent of a connection: the code and the tokens that came of it, which end together. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  grant_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'oauth_grants', key: 'id' },
    onDelete: 'CASCADE',
  }),
  scopes: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  revoked_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  revoked_reason: column({ type: DataTypes.STRING(64), allowNull: true }),
};

/** Binds the table `oauth_families`. */
export const oauthFamilyTable = defineTable('OauthFamily', 'oauth_families', columns);
