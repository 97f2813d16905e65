import {
  DataTypes,
  literal,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from 'sequelize';
import { defineTable } from './table';

/** What an installation knows of itself; one row, which `migrate` makes once. */
interface InstallationModel extends Model<
  InferAttributes<InstallationModel>,
  InferCreationAttributes<InstallationModel>
> {
  singleton: CreationOptional<boolean>;
  installation_id: CreationOptional<string>;
}

/** Binds the table `installation`. */
export const installationTable = defineTable<InstallationModel>('Installation', 'installation', {
  singleton: { type: DataTypes.BOOLEAN, allowNull: false, primaryKey: true, defaultValue: true },
  installation_id: {
    type: DataTypes.STRING(40),
    allowNull: false,
    defaultValue: literal(`('msgdesk-'::text || "left"(replace((gen_random_uuid())::text, '-'::text, ''::text), 8))`),
  },
});
