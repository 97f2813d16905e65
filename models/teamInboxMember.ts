import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** Who sits in which team inbox. */
export interface TeamInboxMemberRow {
  team_inbox_id: number;
  member_id: number;
}

/** Binds the table `team_inbox_members`. */
export const teamInboxMemberTable = defineTable<TeamInboxMemberRow>('TeamInboxMember', 'team_inbox_members', {
  team_inbox_id: { type: DataTypes.INTEGER, primaryKey: true },
  member_id: { type: DataTypes.INTEGER, primaryKey: true },
});
