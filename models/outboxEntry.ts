import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** An intent that must still reach the workflow engine. */
interface OutboxEntryModel extends Model<InferAttributes<OutboxEntryModel>, InferCreationAttributes<OutboxEntryModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  workflow: string;
  workflow_id: string;
  signal: string | null;
  version: CreationOptional<number>;
  input: CreationOptional<Record<string, unknown>>;
  attempts: CreationOptional<number>;
  available_at: CreationOptional<Date>;
  refusals: CreationOptional<number>;
  error: CreationOptional<string>;
  set_aside_at: CreationOptional<Date | null>;
  /** The trace that it is part of (W3C `traceparent`); null where traces are off. */
  trace: CreationOptional<string | null>;
  created_at: CreationOptional<Date>;
}

/** Binds the table `outbox`. */
export const outboxEntryTable = defineTable<OutboxEntryModel>('OutboxEntry', 'outbox', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.BIGINT, allowNull: false },
  workflow: { type: DataTypes.STRING(64), allowNull: false },
  workflow_id: { type: DataTypes.STRING(200), allowNull: false },
  signal: { type: DataTypes.STRING(64), allowNull: true },
  version: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  input: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  attempts: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  available_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal("(now() + '00:00:02'::interval)") },
  refusals: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
  error: { type: DataTypes.TEXT, allowNull: false, defaultValue: '' },
  set_aside_at: { type: DataTypes.DATE(3), allowNull: true },
  trace: { type: DataTypes.STRING(55), allowNull: true },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
