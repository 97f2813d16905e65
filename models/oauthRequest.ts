import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A validated authorization request that waits for sign-in and consent. */
interface OauthRequestModel extends Model<
  InferAttributes<OauthRequestModel>,
  InferCreationAttributes<OauthRequestModel>
> {
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
  created_at: CreationOptional<Date>;
}

/** Binds the table `oauth_requests`. */
export const oauthRequestTable = defineTable<OauthRequestModel>('OauthRequest', 'oauth_requests', {
  id: { type: DataTypes.UUID, allowNull: false, primaryKey: true },
  client_pk: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'oauth_clients', key: 'id' },
    onDelete: 'CASCADE',
  },
  session_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'sessions', key: 'id' },
    onDelete: 'CASCADE',
  },
  redirect_uri: { type: DataTypes.TEXT, allowNull: false },
  scopes: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
  state: { type: DataTypes.TEXT, allowNull: true },
  code_challenge: { type: DataTypes.STRING(43), allowNull: false },
  resource: { type: DataTypes.TEXT, allowNull: false },
  decided_at: { type: DataTypes.DATE(3), allowNull: true },
  expires_at: { type: DataTypes.DATE(3), allowNull: false },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
