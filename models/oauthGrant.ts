import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable } from './table';

/** What a member granted to a client: codes and tokens hang on it. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  client_pk: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'oauth_clients', key: 'id' },
    onDelete: 'CASCADE',
  }),
  scopes: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false }),
  resource: column({ type: DataTypes.TEXT, allowNull: false }),
  autonomy: columnOf<'draft' | 'approval' | 'autonomous'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    defaultValue: 'approval',
  }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  last_used_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  revoked_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  revoked_reason: column({ type: DataTypes.STRING(64), allowNull: true }),
  /** The networks that it may be used from; empty: all. */
  allowed_addresses: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] }),
  /** Those that it was used from, so that a new one is told. */
  networks: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] }),
};

/** Binds the table `oauth_grants`. */
export const oauthGrantTable = defineTable('OauthGrant', 'oauth_grants', columns);
