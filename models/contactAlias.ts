import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** Former handles of a contact that must keep answering. */
interface ContactAliasModel extends Model<
  InferAttributes<ContactAliasModel>,
  InferCreationAttributes<ContactAliasModel>
> {
  workspace_id: number;
  kind: 'receiver_id' | 'id' | 'conversation_id' | 'bsuid' | 'phone';
  value: string;
  contact_id: number;
  created_at: CreationOptional<Date>;
  /** Null: for ever. */
  valid_until: Date | null;
}

/** Binds the table `contact_aliases`. */
export const contactAliasTable = defineTable<ContactAliasModel>('ContactAlias', 'contact_aliases', {
  workspace_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'workspaces', key: 'id' },
    onDelete: 'CASCADE',
  },
  kind: { type: DataTypes.STRING(16), allowNull: false, primaryKey: true },
  value: { type: DataTypes.STRING(160), allowNull: false, primaryKey: true },
  contact_id: {
    type: DataTypes.BIGINT,
    allowNull: false,
    references: { model: 'contacts', key: 'id' },
    onDelete: 'CASCADE',
  },
  created_at: { type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') },
  valid_until: { type: DataTypes.DATE(3), allowNull: true },
});
