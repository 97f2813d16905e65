import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A pre-registered OAuth client of a workspace; only the hash of its secret is stored (specification 5.9). */
export interface OauthClientRow {
  id: number;
  workspace_id: number;
  client_id: string;
  name: string;
  client_type: 'public' | 'confidential';
  secret_hash: Buffer | null;
  redirect_uris: string[];
  created_at: Date;
  disabled_at: Date | null;
}

/** Binds the table `oauth_clients`. */
export const oauthClientTable = defineTable<OauthClientRow>('OauthClient', 'oauth_clients', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  client_id: { type: DataTypes.STRING(64) },
  name: { type: DataTypes.STRING(255) },
  client_type: { type: DataTypes.STRING(16) },
  secret_hash: { type: DataTypes.BLOB, allowNull: true },
  redirect_uris: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  created_at: { type: DataTypes.DATE(3) },
  disabled_at: { type: DataTypes.DATE(3), allowNull: true },
});
