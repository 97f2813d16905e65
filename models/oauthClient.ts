import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A pre-registered OAuth client of a workspace; only the hash of its secret is stored. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  client_id: column({ type: DataTypes.STRING(64), allowNull: false }),
  name: column({ type: DataTypes.STRING(255), allowNull: false }),
  client_type: columnOf<'public' | 'confidential'>()({ type: DataTypes.STRING(16), allowNull: false }),
  secret_hash: column({ type: DataTypes.BLOB, allowNull: true }),
  redirect_uris: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false }),
  metadata_url: column({ type: DataTypes.TEXT, allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  disabled_at: column({ type: DataTypes.DATE(3), allowNull: true }),
};

/** Columns of a row of `oauth_clients`. */
export type OauthClientRow = RowOf<typeof columns>;

/** Binds the table `oauth_clients`. */
export const oauthClientTable = defineTable('OauthClient', 'oauth_clients', columns);
