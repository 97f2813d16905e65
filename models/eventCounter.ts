import {
  DataTypes,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** The last number that an event of the workspace was given. */
interface EventCounterModel extends Model<
  InferAttributes<EventCounterModel>,
  InferCreationAttributes<EventCounterModel>
> {
  workspace_id: number;
  last_seq: CreationOptional<number>;
}

/** Binds the table `event_counters`. */
export const eventCounterTable = defineTable<EventCounterModel>('EventCounter', 'event_counters', {
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  last_seq: { type: DataTypes.BIGINT, allowNull: false, defaultValue: 0 },
});
