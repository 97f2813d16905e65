import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
  type NonAttribute,
} from 'sequelize';
import { defineTable } from './table';

/** A team inbox that conversations and tickets can be assigned to. */
interface TeamInboxModel extends Model<InferAttributes<TeamInboxModel>, InferCreationAttributes<TeamInboxModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  name: string;
  description: CreationOptional<string>;
  is_default: CreationOptional<boolean>;
  created_at: CreationOptional<Date>;
  seats?: NonAttribute<{ readonly member_id: number }[]>;
}

/** Columns of a row of `team_inboxes`. */
export type TeamInboxRow = InferAttributes<TeamInboxModel>;

/** Binds the table `team_inboxes`. */
export const teamInboxTable = defineTable<TeamInboxModel>('TeamInbox', 'team_inboxes', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  name: { type: DataTypes.STRING(255), allowNull: false },
  description: { type: DataTypes.TEXT, allowNull: false, defaultValue: '' },
  is_default: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
