import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A refresh token by its SHA-256; `rotated_at` tells that it was used. */
export interface OauthRefreshTokenRow {
  id: number;
  token_hash: Buffer;
  grant_id: number;
  expires_at: Date;
  rotated_at: Date | null;
  created_at: Date;
}

/** Binds the table `oauth_refresh_tokens`. */
export const oauthRefreshTokenTable = defineTable<OauthRefreshTokenRow>('OauthRefreshToken', 'oauth_refresh_tokens', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  token_hash: { type: DataTypes.BLOB },
  grant_id: { type: DataTypes.INTEGER },
  expires_at: { type: DataTypes.DATE(3) },
  rotated_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
});
