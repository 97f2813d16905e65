import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A status webhook that waits for its message. */
interface ParkedStatusModel extends Model<
  InferAttributes<ParkedStatusModel>,
  InferCreationAttributes<ParkedStatusModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  wamid: string;
  payload: unknown;
  created_at: CreationOptional<Date>;
}

/** Binds the table `parked_statuses`. */
export const parkedStatusTable = defineTable<ParkedStatusModel>('ParkedStatus', 'parked_statuses', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  wamid: { type: DataTypes.STRING(255), allowNull: false },
  payload: { type: DataTypes.JSONB, allowNull: false },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
