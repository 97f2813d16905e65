import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A refresh token by its SHA-256; `rotated_at` tells that it was used. */
interface OauthRefreshTokenModel extends Model<
  InferAttributes<OauthRefreshTokenModel>,
  InferCreationAttributes<OauthRefreshTokenModel>
> {
  id: CreationOptional<number>;
  token_hash: Buffer;
  grant_id: number;
  /** Null only where the version before wrote it, which knew no families: it is as good as revoked. */
  family_id: CreationOptional<number | null>;
  expires_at: Date;
  rotated_at: Date | null;
  created_at: CreationOptional<Date>;
}

/** Binds the table `oauth_refresh_tokens`. */
export const oauthRefreshTokenTable = defineTable<OauthRefreshTokenModel>('OauthRefreshToken', 'oauth_refresh_tokens', {
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
  expires_at: { type: DataTypes.DATE(3), allowNull: false },
  rotated_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
