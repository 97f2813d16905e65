import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import type { BroadcastStatus } from './enums';
import { defineTable } from './table';

/** A bulk send of a template. */
interface BroadcastModel extends Model<InferAttributes<BroadcastModel>, InferCreationAttributes<BroadcastModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  name: string;
  template_pk: number | null;
  phone_number_id: number | null;
  audience: Record<string, unknown>;
  template_variables: CreationOptional<Record<string, unknown>>;
  status: CreationOptional<BroadcastStatus>;
  failure_reason: CreationOptional<string>;
  scheduled_at: Date | null;
  confirmed_at: Date | null;
  started_at: Date | null;
  resolved_at: Date | null;
  completed_at: Date | null;
  version: CreationOptional<number>;
  created_by_member_id: number | null;
  api_key_id: number | null;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
  rests_until: Date | null;
  moved_at: Date | null;
}

/** Columns of a row of `broadcasts`. */
export type BroadcastRow = InferAttributes<BroadcastModel>;

/** Binds the table `broadcasts`. */
export const broadcastTable = defineTable<BroadcastModel>('Broadcast', 'broadcasts', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  name: { type: DataTypes.STRING(255), allowNull: false },
  template_pk: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'templates', key: 'id' },
    onDelete: 'SET NULL',
  },
  phone_number_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'SET NULL',
  },
  audience: { type: DataTypes.JSONB, allowNull: false },
  template_variables: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  status: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'draft' },
  failure_reason: { type: DataTypes.TEXT, allowNull: false, defaultValue: '' },
  scheduled_at: { type: DataTypes.DATE(3), allowNull: true },
  confirmed_at: { type: DataTypes.DATE(3), allowNull: true },
  started_at: { type: DataTypes.DATE(3), allowNull: true },
  resolved_at: { type: DataTypes.DATE(3), allowNull: true },
  completed_at: { type: DataTypes.DATE(3), allowNull: true },
  version: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  created_by_member_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  api_key_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'api_keys', key: 'id' },
    onDelete: 'SET NULL',
  },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  rests_until: { type: DataTypes.DATE(3), allowNull: true },
  moved_at: { type: DataTypes.DATE(3), allowNull: true },
});
