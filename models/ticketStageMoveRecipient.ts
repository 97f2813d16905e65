import {
  DataTypes,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import type { RecipientState } from './enums';
import { defineTable } from './table';

/** One recipient of a move and what became of it. */
interface TicketStageMoveRecipientModel extends Model<
  InferAttributes<TicketStageMoveRecipientModel>,
  InferCreationAttributes<TicketStageMoveRecipientModel>
> {
  move_id: number;
  contact_id: number;
  place: number;
  state: CreationOptional<RecipientState>;
  reason: CreationOptional<string>;
  message_id: number | null;
  settled_at: Date | null;
  /** What the mapping takes from the contact, as it was when the ticket moved. */
  frozen_values: CreationOptional<Record<string, unknown>>;
}

/** Binds the table `ticket_stage_move_recipients`. */
export const ticketStageMoveRecipientTable = defineTable<TicketStageMoveRecipientModel>(
  'TicketStageMoveRecipient',
  'ticket_stage_move_recipients',
  {
    move_id: {
      type: DataTypes.BIGINT,
      allowNull: false,
      primaryKey: true,
      references: { model: 'ticket_stage_moves', key: 'id' },
      onDelete: 'CASCADE',
    },
    contact_id: {
      type: DataTypes.BIGINT,
      allowNull: false,
      primaryKey: true,
      references: { model: 'contacts', key: 'id' },
      onDelete: 'CASCADE',
    },
    place: { type: DataTypes.INTEGER, allowNull: false },
    state: { type: DataTypes.STRING(8), allowNull: false, defaultValue: 'pending' },
    reason: { type: DataTypes.STRING(255), allowNull: false, defaultValue: '' },
    message_id: { type: DataTypes.BIGINT, allowNull: true },
    settled_at: { type: DataTypes.DATE(3), allowNull: true },
    frozen_values: { type: DataTypes.JSONB, allowNull: false, defaultValue: {} },
  },
);
