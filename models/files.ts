import { literal } from 'sequelize';
import { bigint, id, integer, key, now, orNull, ref, text, time } from './columns';
import { defineTable, type RowOf } from './table';

/** A customer's attachment or a member's upload; its bytes lie in the file store. */
const storedFileColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  public_id: text(36, literal("('med_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text))")),
  origin: text<'customer' | 'upload'>(8),
  status: text<'pending' | 'stored' | 'lost'>(8, 'pending'),
  error: text(255, ''),
  mime_type: text(255, ''),
  filename: text(255, ''),
  size: orNull(bigint()),
  sha256: orNull(text(64)),
  message_type: text(32, ''),
  phone_number_id: orNull(ref('phone_numbers', 'set null')),
  platform_id: text(64, ''),
  attempts: integer(0),
  /** How often the platform said that it has no such file. */
  gone_answers: integer(0),
  next_attempt_at: orNull(time()),
  fetch_until: orNull(time()),
  look_at: orNull(time()),
  created_at: now(),
};

/** Columns of a row of `files`. */
export type StoredFileRow = RowOf<typeof storedFileColumns>;

/** Binds the table `files`. */
export const storedFileTable = defineTable('StoredFile', 'files', storedFileColumns);

/**
 * An upload of a file to the platform, with the id that the platform gave it; one per phone number that sends the file.
 */
const fileUploadColumns = {
  file_id: key(ref('files', 'cascade')),
  phone_number_id: key(ref('phone_numbers', 'cascade')),
  platform_id: text(64),
  uploaded_at: now(),
};

/** Binds the table `file_uploads`. */
export const fileUploadTable = defineTable('FileUpload', 'file_uploads', fileUploadColumns);

/** A file whose row is gone, and whose bytes are still to be taken out of the store. */
const removedFileColumns = {
  id: id(),
  // No foreign key: it outlives its workspace.
  workspace_id: bigint(),
  public_id: text(36),
};

/** Binds the table `removed_files`. */
export const removedFileTable = defineTable('RemovedFile', 'removed_files', removedFileColumns);
