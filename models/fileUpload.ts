import { literal } from 'sequelize';
import { DataTypes } from './dataTypes';
import { column, defineTable } from './table';

/** What the platform calls a file that was uploaded there, by the number that sends it. */
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
