import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** An access token by its SHA-256, with the refresh token that it came with. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  token_hash: column({ type: DataTypes.BLOB, allowNull: false }),
  grant_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'oauth_grants', key: 'id' },
    onDelete: 'CASCADE',
  }),
  /** Null only where the version before wrote it, which knew no families: it is as good as revoked. */
  family_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'oauth_families', key: 'id' },
    onDelete: 'CASCADE',
  }),
  scopes: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false }),
  refresh_token_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'oauth_refresh_tokens', key: 'id' },
    onDelete: 'CASCADE',
  }),
  expires_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  revoked_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `oauth_access_tokens`. */
export const oauthAccessTokenTable = defineTable('OauthAccessToken', 'oauth_access_tokens', columns);
