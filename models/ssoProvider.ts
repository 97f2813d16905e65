import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** The OpenID Connect provider by which a workspace's members sign in. */
const columns = {
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  /** Emails of this domain sign in here. The operator gives it, to one workspace. */
  domain: column({ type: DataTypes.STRING(253), allowNull: false }),
  /** Null: the workspace has not set up its provider. */
  issuer: column({ type: DataTypes.STRING(512), allowNull: true }),
  client_id: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  /** Null: a client without a secret. */
  sealed_secret: column({ type: DataTypes.TEXT, allowNull: true }),
  /** The role of a person who signs in for the first time; null when only members may sign in. */
  new_member_role: columnOf<'admin' | 'agent' | null>()({ type: DataTypes.STRING(16), allowNull: true }),
  new_member_permissions: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] }),
  /** Members sign in by the provider alone; owners also by password and second factor. */
  require_sso: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  /** A sign-in by the provider owes our second factor, too. */
  require_factor_for_sso: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `sso_providers`. */
export type SsoProviderRow = RowOf<typeof columns>;

/** Binds the table `sso_providers`. */
export const ssoProviderTable = defineTable('SsoProvider', 'sso_providers', columns);
