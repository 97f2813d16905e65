import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** One thing that a member or a key did and that bears on safety. */
interface SecurityEntryModel extends Model<
  InferAttributes<SecurityEntryModel>,
  InferCreationAttributes<SecurityEntryModel>
> {
  id: CreationOptional<number>;
  workspace_id: number;
  action: string;
  actor_type: string;
  member_id: number | null;
  api_key_id: number | null;
  session_id: number | null;
  address: CreationOptional<string>;
  subject_id: number | null;
  given: CreationOptional<unknown>;
  request_id: CreationOptional<string>;
  created_at: CreationOptional<Date>;
}

/** Binds the table `security_log`. */
export const securityEntryTable = defineTable<SecurityEntryModel>('SecurityEntry', 'security_log', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  action: { type: DataTypes.STRING(64), allowNull: false },
  actor_type: { type: DataTypes.STRING(16), allowNull: false },
  member_id: {
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  },
  api_key_id: { type: DataTypes.BIGINT, allowNull: true },
  session_id: { type: DataTypes.BIGINT, allowNull: true },
  address: { type: DataTypes.STRING(64), allowNull: false, defaultValue: '' },
  subject_id: { type: DataTypes.BIGINT, allowNull: true },
  given: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  request_id: { type: DataTypes.STRING(128), allowNull: false, defaultValue: '' },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
