import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable, type RowOf } from './table';

/** The stored copy of a product of an upstream catalogue. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  business_account_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'business_accounts', key: 'id' },
    onDelete: 'CASCADE',
  }),
  catalog_id: column({ type: DataTypes.STRING(64), allowNull: false }),
  retailer_id: column({ type: DataTypes.STRING(200), allowNull: false }),
  name: column({ type: DataTypes.STRING(512), allowNull: false, defaultValue: '' }),
  description: column({ type: DataTypes.TEXT, allowNull: false, defaultValue: '' }),
  price: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: '' }),
  currency: column({ type: DataTypes.STRING(8), allowNull: false, defaultValue: '' }),
  availability: column({ type: DataTypes.STRING(64), allowNull: false, defaultValue: '' }),
  image_url: column({ type: DataTypes.STRING(4096), allowNull: false, defaultValue: '' }),
  url: column({ type: DataTypes.STRING(4096), allowNull: false, defaultValue: '' }),
  synced_at: column({ type: DataTypes.DATE(3), allowNull: false }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `catalogue_products`. */
export type CatalogueProductRow = RowOf<typeof columns>;

/** Binds the table `catalogue_products`. */
export const catalogueProductTable = defineTable('CatalogueProduct', 'catalogue_products', columns);
