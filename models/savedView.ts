import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable, type RowOf } from './table';

/** A member's own list of conversations: filters under a name. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  name: column({ type: DataTypes.STRING(64), allowNull: false }),
  filters: columnOf<Record<string, string>>()({ type: DataTypes.JSONB, allowNull: false }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `saved_views`. */
export type SavedViewRow = RowOf<typeof columns>;

/** Binds the table `saved_views`. */
export const savedViewTable = defineTable('SavedView', 'saved_views', columns);
