import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** What a member granted to a client: codes and tokens hang on it. */
interface OauthGrantModel extends Model<InferAttributes<OauthGrantModel>, InferCreationAttributes<OauthGrantModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  member_id: number;
  client_pk: number;
  scopes: string[];
  resource: string;
  autonomy: CreationOptional<'draft' | 'approval' | 'autonomous'>;
  created_at: CreationOptional<Date>;
  last_used_at: Date | null;
  revoked_at: Date | null;
  revoked_reason: string | null;
}

/** Binds the table `oauth_grants`. */
export const oauthGrantTable = defineTable<OauthGrantModel>('OauthGrant', 'oauth_grants', {
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
  client_pk: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'oauth_clients', key: 'id' },
    onDelete: 'CASCADE',
  },
  scopes: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
  resource: { type: DataTypes.TEXT, allowNull: false },
  autonomy: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'approval' },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  last_used_at: { type: DataTypes.DATE(3), allowNull: true },
  revoked_at: { type: DataTypes.DATE(3), allowNull: true },
  revoked_reason: { type: DataTypes.STRING(64), allowNull: true },
});
