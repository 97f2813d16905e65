import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/**
 * An upload of a file to the platform, with the id that the platform gave it; one per phone number that sends the file.
 */
const columns = {
  file_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'files', key: 'id' },
    onDelete: 'CASCADE',
  }),
  phone_number_id: column({
    type: DataTypes.BIGINT,
    allowNull: false,
    primaryKey: true,
    references: { model: 'phone_numbers', key: 'id' },
    onDelete: 'CASCADE',
  }),
  platform_id: column({ type: DataTypes.STRING(64), allowNull: false }),
  uploaded_at: column({ type: DataTypes.DATE(3), allowNull: false, defaultValue: literal('now()') }),
};

/** Binds the table `file_uploads`. */
export const fileUploadTable = defineTable('FileUpload', 'file_uploads', columns);
