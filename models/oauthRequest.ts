import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** A validated authorization request that waits for sign-in and consent. */
const columns = {
  id: column({ type: DataTypes.UUID, allowNull: false, primaryKey: true }),
  client_pk: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'oauth_clients', key: 'id' },
    onDelete: 'CASCADE',
  }),
  session_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'sessions', key: 'id' },
    onDelete: 'CASCADE',
  }),
  redirect_uri: column({ type: DataTypes.TEXT, allowNull: false }),
  scopes: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false }),
  state: column({ type: DataTypes.TEXT, allowNull: true }),
  code_challenge: column({ type: DataTypes.STRING(43), allowNull: false }),
  resource: column({ type: DataTypes.TEXT, allowNull: false }),
  decided_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  expires_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `oauth_requests`. */
export const oauthRequestTable = defineTable('OauthRequest', 'oauth_requests', columns);
