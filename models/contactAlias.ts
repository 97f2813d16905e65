import { DataTypes } from 'sequelize';
import { defineTable } from './table';

/** Former handles of a contact that must keep answering (contract C5). */
export interface ContactAliasRow {
  workspace_id: number;
  kind: 'receiver_id' | 'id' | 'conversation_id' | 'bsuid' | 'phone';
  value: string;
  contact_id: number;
  /** Null: for ever. */
  valid_until: Date | null;
  created_at: Date;
}

/** Binds the table `contact_aliases`. */
export const contactAliasTable = defineTable<ContactAliasRow>('ContactAlias', 'contact_aliases', {
  workspace_id: { type: DataTypes.INTEGER, primaryKey: true },
  kind: { type: DataTypes.STRING(16), primaryKey: true },
  value: { type: DataTypes.STRING(160), primaryKey: true },
  contact_id: { type: DataTypes.INTEGER },
  valid_until: { type: DataTypes.DATE(3), allowNull: true },
  created_at: { type: DataTypes.DATE(3) },
});
