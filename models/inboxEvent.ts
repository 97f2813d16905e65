import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A stored upstream webhook item, to be processed once in effect. */
interface InboxEventModel extends Model<InferAttributes<InboxEventModel>, InferCreationAttributes<InboxEventModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  business_account_id: number;
  kind: string;
  order_key: CreationOptional<string>;
  payload: unknown;
  state: CreationOptional<'new' | 'ignored' | 'parked'>;
  attempts: CreationOptional<number>;
  available_at: CreationOptional<Date>;
  error: string | null;
  received_at: CreationOptional<Date>;
}

/** Binds the table `inbox_events`. */
export const inboxEventTable = defineTable<InboxEventModel>('InboxEvent', 'inbox_events', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.BIGINT, allowNull: false },
  business_account_id: { type: DataTypes.BIGINT, allowNull: false },
  kind: { type: DataTypes.STRING(64), allowNull: false },
  order_key: { type: DataTypes.STRING(200), allowNull: false, defaultValue: '' },
  payload: { type: DataTypes.JSONB, allowNull: false },
  state: { type: DataTypes.STRING(8), allowNull: false, defaultValue: 'new' },
  attempts: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  available_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  error: { type: DataTypes.TEXT, allowNull: true },
  received_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
