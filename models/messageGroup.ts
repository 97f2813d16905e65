import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A group that the upstream has named in a message (contract C6). */
export interface MessageGroupRow {
  id: number;
  workspace_id: number;
  group_id: string;
  subject: string;
  created_at: Date;
}

/** Binds the table `message_groups`. */
export const messageGroupTable = defineTable<MessageGroupRow>('MessageGroup', 'message_groups', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  group_id: { type: DataTypes.STRING(255) },
  subject: { type: DataTypes.STRING(255) },
  created_at: { type: DataTypes.DATE(3) },
});
