import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A tenant: everything below belongs to exactly one. */
interface WorkspaceModel extends Model<InferAttributes<WorkspaceModel>, InferCreationAttributes<WorkspaceModel>> {
  id: CreationOptional<number>;
  name: string;
  timezone: CreationOptional<string>;
  plan: string | null;
  trial_ends_at: Date | null;
  ticketing: CreationOptional<boolean>;
  opt_out_words: CreationOptional<string[]>;
  opt_in_words: CreationOptional<string[]>;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
}

/** Columns of a row of `workspaces`. */
export type WorkspaceRow = InferAttributes<WorkspaceModel>;

/** Binds the table `workspaces`. */
export const workspaceTable = defineTable<WorkspaceModel>('Workspace', 'workspaces', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  name: { type: DataTypes.STRING(255), allowNull: false },
  timezone: { type: DataTypes.STRING(64), allowNull: false, defaultValue: 'UTC' },
  plan: { type: DataTypes.STRING(64), allowNull: true },
  trial_ends_at: { type: DataTypes.DATE(3), allowNull: true },
  ticketing: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  opt_out_words: {
    type: DataTypes.ARRAY(DataTypes.TEXT),
    allowNull: false,
    defaultValue: ['STOP', 'UNSUBSCRIBE', 'OPTOUT'],
  },
  opt_in_words: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: ['START', 'RESUBSCRIBE'] },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
