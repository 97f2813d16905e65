import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import type { RecipientState } from './enums';
import { defineTable } from './table';

/** One recipient of a broadcast and what became of it. A claimed one is `pending` here and `sending` in its message. */
interface BroadcastRecipientModel extends Model<
  InferAttributes<BroadcastRecipientModel>,
  InferCreationAttributes<BroadcastRecipientModel>
> {
  broadcast_id: number;
  position: number;
  workspace_id: number;
  contact_id: number;
  state: RecipientState;
  reason: CreationOptional<string>;
  error_code: number | null;
  message_status: CreationOptional<string>;
  message_id: number | null;
  updated_at: CreationOptional<Date>;
}

/** Binds the table `broadcast_recipients`. */
export const broadcastRecipientTable = defineTable<BroadcastRecipientModel>(
  'BroadcastRecipient',
  'broadcast_recipients',
  {
    broadcast_id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true },
    position: { type: DataTypes.INTEGER, allowNull: false, primaryKey: true },
    workspace_id: { type: DataTypes.BIGINT, allowNull: false },
    contact_id: { type: DataTypes.BIGINT, allowNull: false },
    state: { type: DataTypes.STRING(8), allowNull: false },
    reason: { type: DataTypes.STRING(32), allowNull: false, defaultValue: '' },
    error_code: { type: DataTypes.INTEGER, allowNull: true },
    message_status: { type: DataTypes.STRING(16), allowNull: false, defaultValue: '' },
    message_id: { type: DataTypes.BIGINT, allowNull: true },
    updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  },
);
