import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** The last sequence number that was given to a subject. */
const columns = {
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  subject_type: column({ type: DataTypes.STRING(32), allowNull: false, primaryKey: true }),
  subject_id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true }),
  last_sequence: column({ type: DataTypes.BIGINT, allowNull: false }),
};

/** Binds the table `webhook_sequences`. */
export const webhookSequenceTable = defineTable('WebhookSequence', 'webhook_sequences', columns);
