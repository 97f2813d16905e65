import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** The stored copy of a flow of the upstream. */
interface FlowModel extends Model<InferAttributes<FlowModel>, InferCreationAttributes<FlowModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  business_account_id: number;
  flow_id: string;
  name: CreationOptional<string>;
  status: string;
  categories: CreationOptional<unknown>;
  validation_errors: CreationOptional<unknown>;
  json_version: CreationOptional<string>;
  data_api_version: CreationOptional<string>;
  endpoint_uri: CreationOptional<string>;
  preview_url: CreationOptional<string>;
  preview_expires_at: Date | null;
  flow_json: CreationOptional<unknown>;
  changed_at: Date | null;
  json_changed_at: Date | null;
  alerts: CreationOptional<Record<string, unknown>>;
  status_at: Date | null;
  synced_at: Date;
  gone_at: Date | null;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
}

/** Columns of a row of `flows`. */
export type FlowRow = InferAttributes<FlowModel>;

/** Binds the table `flows`. */
export const flowTable = defineTable<FlowModel>('Flow', 'flows', {
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
  flow_id: { type: DataTypes.STRING(64), allowNull: false },
  name: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  status: { type: DataTypes.STRING(16), allowNull: false },
  categories: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
  validation_errors: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
  json_version: { type: DataTypes.STRING(16), allowNull: false, defaultValue: '' },
  data_api_version: { type: DataTypes.STRING(16), allowNull: false, defaultValue: '' },
  endpoint_uri: { type: DataTypes.STRING(2048), allowNull: false, defaultValue: '' },
  preview_url: { type: DataTypes.STRING(512), allowNull: false, defaultValue: '' },
  preview_expires_at: { type: DataTypes.DATE(3), allowNull: true },
  flow_json: { type: DataTypes.JSONB, allowNull: true },
  changed_at: { type: DataTypes.DATE(3), allowNull: true },
  json_changed_at: { type: DataTypes.DATE(3), allowNull: true },
  alerts: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  status_at: { type: DataTypes.DATE(3), allowNull: true },
  synced_at: { type: DataTypes.DATE(3), allowNull: false },
  gone_at: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
