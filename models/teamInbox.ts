import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A team inbox that conversations and tickets can be assigned to. */
export interface TeamInboxRow {
  id: number;
  workspace_id: number;
  name: string;
  description: string;
  is_default: boolean;
  created_at: Date;
}

/** Binds the table `team_inboxes`. */
export const teamInboxTable = defineTable<TeamInboxRow>('TeamInbox', 'team_inboxes', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  name: { type: DataTypes.STRING(255) },
  description: { type: DataTypes.TEXT },
  is_default: { type: DataTypes.BOOLEAN },
  created_at: { type: DataTypes.DATE(3) },
});
