import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, columnOf, defineTable } from './table';

/** Former handles of a contact that must keep answering. */
const columns = {
  workspace_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  }),
  kind: columnOf<'receiver_id' | 'id' | 'conversation_id' | 'bsuid' | 'phone'>()({
    type: DataTypes.STRING(16),
    allowNull: false,
    primaryKey: true,
  }),
  value: column({ type: DataTypes.STRING(160), allowNull: false, primaryKey: true }),
  contact_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'contacts', key: 'id' },
    onDelete: 'CASCADE',
  }),
  created_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
  /** Null: for ever. */
  valid_until: column({ type: DataTypes.DATE(3), allowNull: true }),
  /** Of a second number of the person, and of its user id: that user id, where it is known. */
  bsuid: column({ type: DataTypes.STRING(160), allowNull: true }),
};

/** Binds the table `contact_aliases`. */
export const contactAliasTable = defineTable('ContactAlias', 'contact_aliases', columns);
