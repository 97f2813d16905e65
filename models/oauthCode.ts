import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** An authorization code by its SHA-256; single use. */
export interface OauthCodeRow {
  code_hash: Buffer;
  grant_id: number;
  client_pk: number;
  redirect_uri: string;
  code_challenge: string;
  expires_at: Date;
  used_at: Date | null;
}

/** Binds the table `oauth_codes`. */
export const oauthCodeTable = defineTable<OauthCodeRow>('OauthCode', 'oauth_codes', {
  code_hash: { type: DataTypes.BLOB, primaryKey: true },
  grant_id: { type: DataTypes.INTEGER },
  client_pk: { type: DataTypes.INTEGER },
  redirect_uri: { type: DataTypes.TEXT },
  code_challenge: { type: DataTypes.STRING(43) },
  expires_at: { type: DataTypes.DATE(3) },
  used_at: { type: DataTypes.DATE(3), allowNull: true },
});
