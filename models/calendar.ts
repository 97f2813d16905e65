import { literal, type NonAttribute } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { Weekday } from './enums';
import { column, columnOf, defineTable, type RowOf } from './table';

/** From when to when a team works on one day of each week, by the clock on the wall: `09:00`, or `24:00` at the end. */
export interface WorkingPeriod {
  readonly weekday: Weekday;
  readonly opens: string;
  readonly closes: string;
}

/** A day without work, and what it is called. */
interface Holiday {
  /** As YYYY-MM-DD. */
  readonly date: string;
  readonly name: string;
}

/** What fills the placeholders of a template, by its part and their numbers. */
type Mapping = Readonly<Partial<Record<'header' | 'body', Readonly<Record<string, unknown>>>>>;

/** When a team works, and what customers are told outside of it. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  name: column({ type: DataTypes.STRING(255), allowNull: false }),
  is_default: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  periods: columnOf<WorkingPeriod[]>()({ type: DataTypes.JSONB, allowNull: false }),
  holidays: columnOf<Holiday[]>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: [] }),
  away_text: column({ type: DataTypes.TEXT, allowNull: true }),
  away_template_id: column({ type: DataTypes.STRING(64), allowNull: true }),
  away_template_variables: columnOf<Mapping>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `calendars`. */
export type CalendarRow = RowOf<typeof columns>;

/** What it may be read with. */
interface Included {
  team_inboxes?: NonAttribute<{ readonly team_inbox_id: number }[]>;
}

/** Binds the table `calendars`. */
export const calendarTable = defineTable<typeof columns, Included>('Calendar', 'calendars', columns);
