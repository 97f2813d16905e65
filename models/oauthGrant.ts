import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** What a member granted to a client: codes and tokens hang on it. */
export interface OauthGrantRow {
  id: number;
  workspace_id: number;
  member_id: number;
  client_pk: number;
  scopes: string[];
  resource: string;
  autonomy: 'draft' | 'approval' | 'autonomous';
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
  revoked_reason: string | null;
}

/** Binds the table `oauth_grants`. */
export const oauthGrantTable = defineTable<OauthGrantRow>('OauthGrant', 'oauth_grants', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  member_id: { type: DataTypes.INTEGER },
  client_pk: { type: DataTypes.INTEGER },
  scopes: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  resource: { type: DataTypes.TEXT },
  autonomy: { type: DataTypes.STRING(16) },
  created_at: { type: DataTypes.DATE(3) },
  last_used_at: { type: DataTypes.DATE(3), allowNull: true },
  revoked_at: { type: DataTypes.DATE(3), allowNull: true },
  revoked_reason: { type: DataTypes.STRING(64), allowNull: true },
});
