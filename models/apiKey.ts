import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** An API key: SHA-256 of the secret, granted scopes, agent autonomy (contract C12). */
export interface ApiKeyRow {
  id: number;
  workspace_id: number;
  member_id: number;
  name: string;
  prefix: string;
  secret_hash: Buffer;
  scopes: string[];
  autonomy: 'draft' | 'approval' | 'autonomous';
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}

/** Binds the table `api_keys`. */
export const apiKeyTable = defineTable<ApiKeyRow>('ApiKey', 'api_keys', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  member_id: { type: DataTypes.INTEGER },
  name: { type: DataTypes.STRING(255) },
  prefix: { type: DataTypes.STRING(40) },
  secret_hash: { type: DataTypes.BLOB },
  scopes: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  autonomy: { type: DataTypes.STRING(16) },
  created_at: { type: DataTypes.DATE(3) },
  last_used_at: { type: DataTypes.DATE(3), allowNull: true },
  expires_at: { type: DataTypes.DATE(3), allowNull: true },
  revoked_at: { type: DataTypes.DATE(3), allowNull: true },
});
