import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { NoticeKind } from './enums';
import { column, columnOf, defineTable } from './table';

/** Something that a member is told of; it lives for an hour. */
const columns = {
  member_id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true }),
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  kind: columnOf<NoticeKind | 'security' | 'rule'>()({ type: DataTypes.STRING(16), allowNull: false }),
  conversation_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  /** The entry of `security_log` that is told, for what concerns no conversation. */
  security_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  /** The rule that asks for who may manage rules. */
  rule_id: column({ type: DataTypes.BIGINT, allowNull: true }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  /** It is pushed until this time; null: it is not, or not any more. */
  push_until: column({ type: DataTypes.DATE(3), allowNull: true }),
  /** Until this time a worker is pushing it, or it waits after a failed attempt. */
  claimed_until: column({ type: DataTypes.DATE(3), allowNull: true }),
  /** The browsers (`push_subscriptions`) that need not be asked again for it. */
  pushed_to: column({ type: DataTypes.ARRAY(DataTypes.BIGINT), allowNull: false, defaultValue: [] }),
};

/** Binds the table `notices`. */
export const noticeTable = defineTable('Notice', 'notices', columns);
