import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable } from './table';

/** A move into a notifying stage, frozen as it was. */
const columns = {
  id: column({ type: DataTypes.BIGINT, allowNull: false, primaryKey: true, autoIncrement: true }),
  workspace_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  ticket_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  stage_id: column({ type: DataTypes.BIGINT, allowNull: false }),
  stage_name: column({ type: DataTypes.STRING(255), allowNull: false }),
  template_pk: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'templates', key: 'id' },
    onDelete: 'SET NULL',
  }),
  template: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false }),
  template_media_id: column({ type: DataTypes.STRING(36), allowNull: true }),
  variables: columnOf<Readonly<Record<string, unknown>>>()({ type: DataTypes.JSONB, allowNull: false }),
  ticket_values: columnOf<Readonly<Record<string, unknown>>>()({ type: DataTypes.JSONB, allowNull: false }),
  actor_member_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'members', key: 'id' },
    onDelete: 'SET NULL',
  }),
  api_key_id: column({
    type: DataTypes.BIGINT,
    allowNull: true,
    references: { model: 'api_keys', key: 'id' },
    onDelete: 'SET NULL',
  }),
  prepared_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  completed_at: column({ type: DataTypes.DATE(3), allowNull: true }),
  touched_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  recipient_ids: column({ type: DataTypes.ARRAY(DataTypes.BIGINT), allowNull: false, defaultValue: [] }),
  /** What the mapping takes from each contact, by its id. */
  recipient_values: columnOf<Record<string, unknown>>()({ type: DataTypes.JSONB, allowNull: false, defaultValue: {} }),
};

/** Binds the table `ticket_stage_moves`. */
export const ticketStageMoveTable = defineTable('TicketStageMove', 'ticket_stage_moves', columns);
