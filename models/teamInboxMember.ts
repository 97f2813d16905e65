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
  /** Open conversations that they are given at most; null: as many as come. */
  capacity: column({ type: DataTypes.INTEGER, allowNull: true }),
  /** Grows with each conversation that they are given. */
  turn: column({ type: DataTypes.BIGINT, allowNull: false, defaultValue: 0 }),
};

/** Binds the table `team_inbox_members`. */
export const teamInboxMemberTable = defineTable('TeamInboxMember', 'team_inbox_members', columns);
