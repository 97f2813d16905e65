import {
  DataTypes,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/**
 * An entry of the ledger of a broadcast's numbers: how many recipients came to a state, or left it. Written by
 * triggers.
 */
interface BroadcastNumberModel extends Model<
  InferAttributes<BroadcastNumberModel>,
  InferCreationAttributes<BroadcastNumberModel>
> {
  broadcast_id: number;
  id: CreationOptional<number>;
  workspace_id: number;
  state: string;
  message_status: string;
  reason: string;
  error_code: number | null;
  count: number;
}

/** Binds the table `broadcast_numbers`. */
export const broadcastNumberTable = defineTable<BroadcastNumberModel>('BroadcastNumber', 'broadcast_numbers', {
  broadcast_id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true },
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.BIGINT, allowNull: false },
  state: { type: DataTypes.STRING(8), allowNull: false },
  message_status: { type: DataTypes.STRING(16), allowNull: false },
  reason: { type: DataTypes.STRING(32), allowNull: false },
  error_code: { type: DataTypes.INTEGER, allowNull: true },
  count: { type: DataTypes.BIGINT, allowNull: false },
});
