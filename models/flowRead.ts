import { DataTypes, type InferAttributes, type InferCreationAttributes, type Model } from 'sequelize';
import { defineTable } from './table';

/** The latest question to the upstream about a flow, also about one that is not there. */
interface FlowReadModel extends Model<InferAttributes<FlowReadModel>, InferCreationAttributes<FlowReadModel>> {
  workspace_id: number;
  flow_id: string;
  read_at: Date;
  outcome: 'reading' | 'fresh' | 'away' | 'gone';
}

/** Columns of a row of `flow_reads`. */
export type FlowReadRow = InferAttributes<FlowReadModel>;

/** Binds the table `flow_reads`. */
export const flowReadTable = defineTable<FlowReadModel>('FlowRead', 'flow_reads', {
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  flow_id: { type: DataTypes.STRING(64), allowNull: false, primaryKey: true },
  read_at: { type: DataTypes.DATE(3), allowNull: false },
  outcome: { type: DataTypes.STRING(16), allowNull: false },
});
