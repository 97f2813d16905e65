import {
  DataTypes,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** An authorization code by its SHA-256; single use. */
interface OauthCodeModel extends Model<InferAttributes<OauthCodeModel>, InferCreationAttributes<OauthCodeModel>> {
  code_hash: Buffer;
  grant_id: number;
  /** Null only where the version before wrote it, which knew no families: it is as good as revoked. */
  family_id: CreationOptional<number | null>;
  client_pk: number;
  redirect_uri: string;
  code_challenge: string;
  expires_at: Date;
  used_at: Date | null;
}

/** Binds the table `oauth_codes`. */
export const oauthCodeTable = defineTable<OauthCodeModel>('OauthCode', 'oauth_codes', {
  code_hash: { type: DataTypes.BLOB, allowNull: false, primaryKey: true },
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
  client_pk: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'oauth_clients', key: 'id' },
    onDelete: 'CASCADE',
  },
  redirect_uri: { type: DataTypes.TEXT, allowNull: false },
  code_challenge: { type: DataTypes.STRING(43), allowNull: false },
  expires_at: { type: DataTypes.DATE(3), allowNull: false },
  used_at: { type: DataTypes.DATE(3), allowNull: true },
});
