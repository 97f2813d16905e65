import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable } from './table';

/** An intent that must still reach Temporal. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  workflow: column({ type: DataTypes.STRING(64), allowNull: false }),
  workflow_id: column({ type: DataTypes.STRING(200), allowNull: false }),
  signal: column({ type: DataTypes.STRING(64), allowNull: true }),
  version: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  input: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
  attempts: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  available_at: column({
    type: DataTypes.DATE(3),
    allowNull: false,
    defaultValue: literal("(now() + '00:00:02'::interval)"),
  }),
  refusals: column({ type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 }),
  error: column({ type: DataTypes.TEXT, allowNull: false, defaultValue: '' }),
  set_aside_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  /** The trace that it is part of (W3C `traceparent`); null where traces are off. */
  trace: column({ type: DataTypes.STRING(55), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `outbox`. */
export const outboxEntryTable = defineTable('OutboxEntry', 'outbox', columns);
