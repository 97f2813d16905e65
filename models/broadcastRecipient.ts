import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** One recipient of a broadcast and what became of it (contract C9). A claimed one is `pending` here and `sending` in its message. */
export interface BroadcastRecipientRow {
  broadcast_id: number;
  position: number;
  workspace_id: number;
  contact_id: number;
  state: 'pending' | 'sent' | 'failed' | 'skipped' | 'unknown';
  reason: string;
  error_code: number | null;
  message_status: string;
  message_id: number | null;
  updated_at: Date;
}

/** Binds the table `broadcast_recipients`. */
export const broadcastRecipientTable = defineTable<BroadcastRecipientRow>(
  'BroadcastRecipient',
  'broadcast_recipients',
  {
    broadcast_id: { type: DataTypes.INTEGER, primaryKey: true },
    position: { type: DataTypes.INTEGER, primaryKey: true },
    workspace_id: { type: DataTypes.INTEGER },
    contact_id: { type: DataTypes.INTEGER },
    state: { type: DataTypes.STRING(8) },
    reason: { type: DataTypes.STRING(32) },
    error_code: { type: DataTypes.INTEGER, allowNull: true },
    message_status: { type: DataTypes.STRING(16) },
    message_id: { type: DataTypes.INTEGER, allowNull: true },
    updated_at: { type: DataTypes.DATE(3) },
  },
);
