import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** One row about the installation, which `migrate` creates once. */
const columns = {
  singleton: column({ type: DataTypes.BOOLEAN, allowNull: false, primaryKey: true, defaultValue: true }),
  installation_id: column({
    type: DataTypes.STRING(40),
    allowNull: false,
    defaultValue: literal(`('msgdesk-'::text || "left"(replace((gen_random_uuid())::text, '-'::text, ''::text), 8))`),
  }),
  mark_key: column({ type: DataTypes.TEXT, allowNull: true }),
};

/** Binds the table `installation`. */
export const installationTable = defineTable('Installation', 'installation', columns);
