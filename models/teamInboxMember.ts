import { DataTypes, type InferAttributes, type InferCreationAttributes, type Model } from 'sequelize';
import { defineTable } from './table';

/** Who sits in which team inbox. */
interface TeamInboxMemberModel extends Model<
  InferAttributes<TeamInboxMemberModel>,
  InferCreationAttributes<TeamInboxMemberModel>
> {
  team_inbox_id: number;
  member_id: number;
}

/** Binds the table `team_inbox_members`. */
export const teamInboxMemberTable = defineTable<TeamInboxMemberModel>('TeamInboxMember', 'team_inbox_members', {
  team_inbox_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'team_inboxes', key: 'id' },
    onDelete: 'CASCADE',
  },
  member_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'CASCADE',
  },
});
