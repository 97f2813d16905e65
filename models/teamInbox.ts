import { literal, type NonAttribute } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { AssignmentMode } from './enums';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A team inbox that conversations and tickets can be assigned to. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  name: column({ type: DataTypes.STRING(255), allowNull: false }),
  description: column({ type: DataTypes.TEXT, allowNull: false, defaultValue: '' }),
  is_default: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  assignment: columnOf<AssignmentMode>()({ type: DataTypes.STRING(16), allowNull: false, defaultValue: 'manual' }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `team_inboxes`. */
export type TeamInboxRow = RowOf<typeof columns>;

/** What it may be read with. */
interface Included {
  seats?: NonAttribute<{ readonly member_id: number }[]>;
}

/** Binds the table `team_inboxes`. */
export const teamInboxTable = defineTable<typeof columns, Included>('TeamInbox', 'team_inboxes', columns);
