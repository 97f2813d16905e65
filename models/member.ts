import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** A person of a workspace; the email is unique in the installation. */
interface MemberModel extends Model<InferAttributes<MemberModel>, InferCreationAttributes<MemberModel>> {
  id: CreationOptional<number>;
  workspace_id: number;
  uid: CreationOptional<string>;
  email: string;
  name: CreationOptional<string>;
  password_hash: string | null;
  role: 'owner' | 'admin' | 'agent';
  permissions: CreationOptional<string[]>;
  is_active: CreationOptional<boolean>;
  locale: CreationOptional<string>;
  phone_number: CreationOptional<string>;
  profile_picture: CreationOptional<string>;
  created_at: CreationOptional<Date>;
  updated_at: CreationOptional<Date>;
}

/** Columns of a row of `members`. */
export type MemberRow = InferAttributes<MemberModel>;

/** Binds the table `members`. */
export const memberTable = defineTable<MemberModel>('Member', 'members', {
  id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true },
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  uid: { type: DataTypes.UUID, allowNull: false, defaultValue: literal('gen_random_uuid()') },
  email: { type: DataTypes.STRING(254), allowNull: false },
  name: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
  password_hash: { type: DataTypes.TEXT, allowNull: true },
  role: { type: DataTypes.STRING(16), allowNull: false },
  permissions: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] },
  is_active: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true },
  locale: { type: DataTypes.STRING(16), allowNull: false, defaultValue: 'en' },
  phone_number: { type: DataTypes.STRING(32), allowNull: false, defaultValue: '' },
  profile_picture: { type: DataTypes.STRING(2048), allowNull: false, defaultValue: '' },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  updated_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
});
