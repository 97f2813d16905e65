import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** Who sits in which team inbox. */
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
};

/** Binds the table `team_inbox_members`. */
export const teamInboxMemberTable = defineTable('TeamInboxMember', 'team_inbox_members', columns);
