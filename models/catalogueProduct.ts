import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** The stored copy of a product of an upstream catalogue. */
interface CatalogueProductModel extends Model<
  InferAttributes<CatalogueProductModel>,
  InferCreationAttributes<CatalogueProductModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  business_account_id: number;
  catalog_id: string;
  retailer_id: string;
  name: CreationOptional<string>;
  description: CreationOptional<string>;
  price: CreationOptional<string>;
  currency: CreationOptional<string>;
  availability: CreationOptional<string>;
  image_url: CreationOptional<string>;
  url: CreationOptional<string>;
  synced_at: Date;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
}

/** Columns of a row of `catalogue_products`. */
export type CatalogueProductRow = InferAttributes<CatalogueProductModel>;

/** Binds the table `catalogue_products`. */
export const catalogueProductTable = defineTable<CatalogueProductModel>('CatalogueProduct', 'catalogue_products', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  business_account_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'business_accounts', key: 'id' },
    onDelete: 'CASCADE',
  },
  catalog_id: { type: DataTypes.STRING(64), allowNull: false },
  retailer_id: { type: DataTypes.STRING(200), allowNull: false },
  name: { type: DataTypes.STRING(512), allowNull: false, defaultValue: '' },
  description: { type: DataTypes.TEXT, allowNull: false, defaultValue: '' },
  price: { type: DataTypes.STRING(64), allowNull: false, defaultValue: '' },
  currency: { type: DataTypes.STRING(8), allowNull: false, defaultValue: '' },
  availability: { type: DataTypes.STRING(64), allowNull: false, defaultValue: '' },
  image_url: { type: DataTypes.STRING(4096), allowNull: false, defaultValue: '' },
  url: { type: DataTypes.STRING(4096), allowNull: false, defaultValue: '' },
  synced_at: { type: DataTypes.DATE(3), allowNull: false },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
