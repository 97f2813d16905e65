import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** A refresh token by its SHA-256; `rotated_at` tells that it was used. */
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
  expires_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  rotated_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `oauth_refresh_tokens`. */
export const oauthRefreshTokenTable = defineTable('OauthRefreshToken', 'oauth_refresh_tokens', columns);
