import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A group that the upstream has named in a message. */
interface MessageGroupModel extends Model<
  InferAttributes<MessageGroupModel>,
  InferCreationAttributes<MessageGroupModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  group_id: string;
  subject: CreationOptional<string>;
  created_at: CreationOptional<Date>;
}

/** Binds the table `message_groups`. */
export const messageGroupTable = defineTable<MessageGroupModel>('MessageGroup', 'message_groups', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  group_id: { type: DataTypes.STRING(255), allowNull: false },
  subject: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
