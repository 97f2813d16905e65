import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable, type RowOf } from './table';

/** A text that members send again and again; of the team, or of one member. */
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
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  shortcut: column({ type: DataTypes.STRING(64), allowNull: false }),
  body: column({ type: DataTypes.TEXT, allowNull: false }),
  media_ids: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `canned_replies`. */
export type CannedReplyRow = RowOf<typeof columns>;

/** Binds the table `canned_replies`. */
export const cannedReplyTable = defineTable('CannedReply', 'canned_replies', columns);
