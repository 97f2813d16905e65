import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A validated authorization request that waits for sign-in and consent. */
export interface OauthRequestRow {
  id: string;
  client_pk: number;
  session_id: number | null;
  redirect_uri: string;
  scopes: string[];
  state: string | null;
  code_challenge: string;
  resource: string;
  decided_at: Date | null;
  expires_at: Date;
  created_at: Date;
}

/** Binds the table `oauth_requests`. */
export const oauthRequestTable = defineTable<OauthRequestRow>('OauthRequest', 'oauth_requests', {
  id: { type: DataTypes.UUID, primaryKey: true },
  client_pk: { type: DataTypes.INTEGER },
  session_id: { type: DataTypes.INTEGER, allowNull: true },
  redirect_uri: { type: DataTypes.TEXT },
  scopes: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  state: { type: DataTypes.TEXT, allowNull: true },
  code_challenge: { type: DataTypes.STRING(43) },
  resource: { type: DataTypes.TEXT },
  decided_at: { type: DataTypes.DATE(3), allowNull: true },
  expires_at: { type: DataTypes.DATE(3) },
  created_at: { type: DataTypes.DATE(3) },
});
