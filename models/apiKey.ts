import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** An API key: SHA-256 of the secret, granted scopes, agent autonomy. */
interface ApiKeyModel extends Model<InferAttributes<ApiKeyModel>, InferCreationAttributes<ApiKeyModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  member_id: number;
  name: string;
  prefix: string;
  secret_hash: Buffer;
  scopes: CreationOptional<string[]>;
  autonomy: CreationOptional<'draft' | 'approval' | 'autonomous'>;
  created_at: CreationOptional<Date>;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
  /** Addresses and networks that may use it; none: all. */
  allowed_addresses: CreationOptional<string[]>;
}

/** Columns of a row of `api_keys`. */
export type ApiKeyRow = InferAttributes<ApiKeyModel>;

/** Binds the table `api_keys`. */
export const apiKeyTable = defineTable<ApiKeyModel>('ApiKey', 'api_keys', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  member_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  },
  name: { type: DataTypes.STRING(255), allowNull: false },
  prefix: { type: DataTypes.STRING(40), allowNull: false },
  secret_hash: { type: DataTypes.BLOB, allowNull: false },
  scopes: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] },
  autonomy: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'autonomous' },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  last_used_at: { type: DataTypes.DATE(3), allowNull: true },
  expires_at: { type: DataTypes.DATE(3), allowNull: true },
  revoked_at: { type: DataTypes.DATE(3), allowNull: true },
  allowed_addresses: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] },
});
