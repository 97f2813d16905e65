import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { NoticeLevel } from './enums';
import { column, columnOf, defineTable, type RowOf } from './table';

const level = <const D extends NoticeLevel>(usual: D) =>
  columnOf<NoticeLevel>()({ type: DataTypes.STRING(8), allowNull: false, defaultValue: usual });

/** A person of a workspace; an email that is proved is unique in the installation. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  uid: column({ type: DataTypes.UUID, allowNull: false, defaultValue: literal('gen_random_uuid()') }),
  email: column({ type: DataTypes.STRING(254), allowNull: false }),
  name: column({ type: DataTypes.STRING(255), allowNull: false, defaultValue: '' }),
  email_proved_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  password_hash: column({ type: DataTypes.TEXT, allowNull: true }),
  /** What the company's provider calls them; null: they never signed in by it. */
  sso_subject: column({ type: DataTypes.STRING(255), allowNull: true }),
  role: columnOf<'owner' | 'admin' | 'agent'>()({ type: DataTypes.STRING(16), allowNull: false }),
  permissions: column({ type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] }),
  is_active: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true }),
  locale: column({ type: DataTypes.STRING(16), allowNull: false, defaultValue: 'en' }),
  phone_number: column({ type: DataTypes.STRING(32), allowNull: false, defaultValue: '' }),
  profile_picture: column({ type: DataTypes.STRING(2048), allowNull: false, defaultValue: '' }),
  undo_send: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  is_away: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false }),
  /** How they are told of what concerns them, by kind. */
  notify_assigned: level('push'),
  notify_message: level('push'),
  notify_unassigned: level('page'),
  notify_mention: level('push'),
  notify_held: level('push'),
  notify_sound: column({ type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true }),
  /** When they were last mailed what happened to their account. */
  told_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  /** Times of day, as HH:MM; null: none. */
  quiet_from: column({ type: DataTypes.STRING(5), allowNull: true }),
  quiet_until: column({ type: DataTypes.STRING(5), allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  updated_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Columns of a row of `members`. */
export type MemberRow = RowOf<typeof columns>;

/** Binds the table `members`. */
export const memberTable = defineTable('Member', 'members', columns);
