import { DataTypes, type InferAttributes, type InferCreationAttributes, type Model } from 'sequelize';
import { defineTable } from './table';

/** The last sequence number that was given to a subject. */
interface WebhookSequenceModel extends Model<
  InferAttributes<WebhookSequenceModel>,
  InferCreationAttributes<WebhookSequenceModel>
> {
  workspace_id: number;
  subject_type: string;
  subject_id: number;
  last_sequence: number;
}

/** Binds the table `webhook_sequences`. */
export const webhookSequenceTable = defineTable<WebhookSequenceModel>('WebhookSequence', 'webhook_sequences', {
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  subject_type: { type: DataTypes.STRING(32), allowNull: false, primaryKey: true },
  subject_id: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true },
  last_sequence: { type: DataTypes.BIGINT, allowNull: false },
});
