import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** A person of a workspace; the email is unique in the installation (contract C12). */
export interface MemberRow {
  id: number;
  workspace_id: number;
  uid: string;
  email: string;
  name: string;
  password_hash: string | null;
  role: 'owner' | 'admin' | 'agent';
  permissions: string[];
  is_active: boolean;
  locale: string;
  phone_number: string;
  profile_picture: string;
  created_at: Date;
  updated_at: Date;
}

/** Binds the table `members`. */
export const memberTable = defineTable<MemberRow>('Member', 'members', {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  workspace_id: { type: DataTypes.INTEGER },
  uid: { type: DataTypes.UUID },
  email: { type: DataTypes.STRING(254) },
  name: { type: DataTypes.STRING(255) },
  password_hash: { type: DataTypes.TEXT, allowNull: true },
  role: { type: DataTypes.STRING(16) },
  permissions: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  is_active: { type: DataTypes.BOOLEAN },
  locale: { type: DataTypes.STRING(16) },
  phone_number: { type: DataTypes.STRING(32) },
  profile_picture: { type: DataTypes.STRING(2048) },
  created_at: { type: DataTypes.DATE(3) },
  updated_at: { type: DataTypes.DATE(3) },
});
