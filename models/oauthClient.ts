import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A pre-registered OAuth client of a workspace; only the hash of its secret is stored. */
interface OauthClientModel extends Model<InferAttributes<OauthClientModel>, InferCreationAttributes<OauthClientModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  client_id: string;
  name: string;
  client_type: 'public' | 'confidential';
  secret_hash: Buffer | null;
  redirect_uris: string[];
  metadata_url: string | null;
  created_at: CreationOptional<Date>;
  disabled_at: Date | null;
}

/** Columns of a row of `oauth_clients`. */
export type OauthClientRow = InferAttributes<OauthClientModel>;

/** Binds the table `oauth_clients`. */
export const oauthClientTable = defineTable<OauthClientModel>('OauthClient', 'oauth_clients', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  client_id: { type: DataTypes.STRING(64), allowNull: false },
  name: { type: DataTypes.STRING(255), allowNull: false },
  client_type: { type: DataTypes.STRING(16), allowNull: false },
  secret_hash: { type: DataTypes.BLOB, allowNull: true },
  redirect_uris: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
  metadata_url: { type: DataTypes.TEXT, allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  disabled_at: { type: DataTypes.DATE(3), allowNull: true },
});
