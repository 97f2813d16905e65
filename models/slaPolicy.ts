import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { SlaSubject } from './enums';
import { column, columnOf, defineTable, type RowOf } from './table';

/** Targets of a workspace for first response and resolution. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  name: column({ type: DataTypes.STRING(255), allowNull: false }),
  first_response_minutes: column({ type: DataTypes.INTEGER, allowNull: true }),
  resolution_minutes: column({ type: DataTypes.INTEGER, allowNull: true }),
  applies_to: columnOf<SlaSubject[]>()({
    type: DataTypes.ARRAY(DataTypes.TEXT),
    allowNull: false,
    defaultValue: ['tickets', 'conversations'],
  }),
  is_default: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  calendar_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'calendars', key: 'id' },
    onDelete: 'SET NULL',
  }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `sla_policies`. */
export type SlaPolicyRow = RowOf<typeof columns>;

/** Binds the table `sla_policies`. */
export const slaPolicyTable = defineTable('SlaPolicy', 'sla_policies', columns);
