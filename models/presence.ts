import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import type { PresenceState } from './enums';
import { column, columnOf, defineTable } from './table';

/** Who looks at a conversation or writes in it, by their last sign. */
const columns = {
  workspace_id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true }),
  conversation_id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true }),
  member_id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true }),
  state: columnOf<PresenceState>()({ type: DataTypes.STRING(16), allowNull: false }),
  seen_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('clock_timestamp()') }),
};

/** Binds the table `presence`. */
export const presenceTable = defineTable('Presence', 'presence', columns);
