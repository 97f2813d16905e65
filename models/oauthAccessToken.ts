import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** An access token by its SHA-256, with the refresh token that it came with. */
export interface OauthAccessTokenRow {
  id: number;
  token_hash: Buffer;
  grant_id: number;
  scopes: string[];
  refresh_token_id: number | null;
  expires_at: Date;
  revoked_at: Date | null;
  created_at: Date;
}

/** Binds the table `oauth_access_tokens`. */
export const oauthAccessTokenTable = defineTable<OauthAccessTokenRow>('OauthAccessToken', 'oauth_access_tokens', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  token_hash: { type: DataTypes.BLOB },
  grant_id: { type: DataTypes.INTEGER },
  scopes: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  refresh_token_id: { type: DataTypes.INTEGER, allowNull: true },
  expires_at: { type: DataTypes.DATE(3) },
  revoked_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
});
