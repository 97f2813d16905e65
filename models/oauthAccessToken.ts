import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** An access token by its SHA-256, with the refresh token that it came with. */
interface OauthAccessTokenModel extends Model<
  InferAttributes<OauthAccessTokenModel>,
  InferCreationAttributes<OauthAccessTokenModel>
> {
  id: CreationOptional<number>;
  token_hash: Buffer;
  grant_id: number;
  /** Null only where the version before wrote it, which knew no families: it is as good as revoked. */
  family_id: CreationOptional<number | null>;
  scopes: string[];
  refresh_token_id: number | null;
  expires_at: Date;
  revoked_at: Date | null;
  created_at: CreationOptional<Date>;
}

/** Binds the table `oauth_access_tokens`. */
export const oauthAccessTokenTable = defineTable<OauthAccessTokenModel>('OauthAccessToken', 'oauth_access_tokens', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  token_hash: { type: DataTypes.BLOB, allowNull: false },
  grant_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'oauth_grants', key: 'id' },
    onDelete: 'CASCADE',
  },
  family_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'oauth_families', key: 'id' },
    onDelete: 'CASCADE',
  },
  scopes: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
  refresh_token_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'oauth_refresh_tokens', key: 'id' },
    onDelete: 'CASCADE',
  },
  expires_at: { type: DataTypes.DATE(3), allowNull: false },
  revoked_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
