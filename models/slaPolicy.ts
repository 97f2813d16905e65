import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import type { SlaSubject } from './enums';
import { defineTable } from './table';

/** Targets of a workspace for first response and resolution. */
interface SlaPolicyModel extends Model<InferAttributes<SlaPolicyModel>, InferCreationAttributes<SlaPolicyModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  name: string;
  first_response_minutes: number | null;
  resolution_minutes: number | null;
  applies_to: SlaSubject[];
  is_default: CreationOptional<boolean>;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
}

/** Columns of a row of `sla_policies`. */
export type SlaPolicyRow = InferAttributes<SlaPolicyModel>;

/** Binds the table `sla_policies`. */
export const slaPolicyTable = defineTable<SlaPolicyModel>('SlaPolicy', 'sla_policies', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  name: { type: DataTypes.STRING(255), allowNull: false },
  first_response_minutes: { type: DataTypes.INTEGER, allowNull: true },
  resolution_minutes: { type: DataTypes.INTEGER, allowNull: true },
  applies_to: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: ['tickets', 'conversations'] },
  is_default: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
