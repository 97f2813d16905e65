import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** A member of a team inbox. */
const columns = {
  team_inbox_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'team_inboxes', key: 'id' },
    onDelete: 'CASCADE',
  }),
  member_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  }),
  /** Up to how many open conversations they are assigned; null: without a limit. */
  capacity: column({ type: DataTypes.INTEGER, allowNull: true }),
  /** Set at each assignment to them: where an inbox assigns in turns, the member with the lowest is next. */
  turn: column({ type: DataTypes.BIGINT, allowNull: false, defaultValue: 0 }),
};

/** Binds the table `team_inbox_members`. */
export const teamInboxMemberTable = defineTable('TeamInboxMember', 'team_inbox_members', columns);
