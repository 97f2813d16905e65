import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** An authorization code, stored as its SHA-256 hash; it can be used once. */
const columns = {
  code_hash: column({ type: DataTypes.BLOB, allowNull: false, primaryKey: true }),
  grant_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'oauth_grants', key: 'id' },
    onDelete: 'CASCADE',
  }),
  /** Null only in rows of a former version, which had no families: such a code is not found any more. */
  family_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'oauth_families', key: 'id' },
    onDelete: 'CASCADE',
  }),
  client_pk: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'oauth_clients', key: 'id' },
    onDelete: 'CASCADE',
  }),
  redirect_uri: column({ type: DataTypes.TEXT, allowNull: false }),
  code_challenge: column({ type: DataTypes.STRING(43), allowNull: false }),
  expires_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  used_at: column({ type: DataTypes.DATE(3), allowNull: true }),
};

/** Binds the table `oauth_codes`. */
export const oauthCodeTable = defineTable('OauthCode', 'oauth_codes', columns);
