import { BaseError, literal } from 'sequelize';
import type { StoredFileRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { cleanFilename, maxBytesOf } from '../../../core/files/contents';
import { FileTooLarge, inspectFile, type Inspected } from '../../../core/files/inspect';
import { FileStoreError } from '../../../core/files/store';
import { AppError, invalidField, parseError } from '../../../core/http/errors';
import { isoTime, wire } from '../../../core/http/shapes';
import type { Upload } from '../../../core/http/upload';
import { keptUnused, storeName } from './rows';

/** A file that was uploaded, as the API shows it. */
export const fileShape = wire.named('File', {
  id: wire.text('Names the file where a message, broadcast, stage or canned reply takes one.'),
  mime_type: wire.text('What its content is, whatever it was sent as.'),
  size: wire.integer('In bytes.'),
  sha256: wire.text('Of its bytes, in hex.'),
  filename: wire.text(),
  created_at: wire.datetime(),
});

/** Returns the 503 of a store that is full or away. */
export function storeUnavailable(): AppError {
  return new AppError('unavailable', 'Files cannot be kept or read at the moment. Try again shortly.', {
    retryAfter: 5,
  });
}

/** Keeps an upload. Throws 400, 413 and 415 as soon as it is clear, and 503 while the store is full or away. */
export async function keepUpload(ctx: Ctx, upload: Upload): Promise<Record<string, unknown>> {
  const filename = cleanFilename(upload.filename);
  const { StoredFile } = ctx.runtime.db.models;
  let row: StoredFileRow | null = null;
  try {
    const inspected = await inspectFile(upload.bytes(), { declared: upload.declared, filename }, largestOf);
    if (inspected.isEmpty) throw invalidField('file', 'The submitted file is empty.');
    // The row comes before the bytes: a stored file without a row would never be found and removed. If this process
    // ends in between, the sweep of unused uploads takes both.
    row = await StoredFile.create(
      {
        workspace_id: ctx.workspaceId,
        origin: 'upload',
        filename,
        mime_type: inspected.mimeType,
        look_at: literal(`now() + ${keptUnused}`) as unknown as Date,
      },
      { raw: true },
    );
    await ctx.runtime.files.write(storeName(row), inspected.body);
    return await finish(ctx, row, inspected);
  } catch (error) {
    if (row !== null) await of(ctx, StoredFile).destroy({ where: { id: row.id, status: 'pending' } });
    throw refusalOf(error);
  }
}

async function finish(ctx: Ctx, { id }: StoredFileRow, inspected: Inspected): Promise<Record<string, unknown>> {
  // SQL: the database's clock says when it is looked for.
  const row = await ctx.runtime.db.row<StoredFileRow>(
    `UPDATE files SET status = 'stored', size = $size, sha256 = $sha256, look_at = now() + ${keptUnused}
     WHERE workspace_id = $workspaceId AND id = $id
     RETURNING public_id, mime_type, size, sha256, filename, created_at`,
    { workspaceId: ctx.workspaceId, id, ...inspected.result() },
  );
  if (!row) throw new Error('an upload vanished while it was kept');
  const { public_id: publicId, mime_type: mimeType, size, sha256, filename, created_at: createdAt } = row;
  return { id: publicId, mime_type: mimeType, size, sha256, filename, created_at: isoTime(createdAt) };
}

function largestOf(mimeType: string): number {
  const maxBytes = maxBytesOf(mimeType);
  if (maxBytes === null)
    throw new AppError('unsupported_media_type', `The platform takes no file of type "${mimeType.slice(0, 100)}".`);
  return maxBytes;
}

function refusalOf(error: unknown): unknown {
  // What the database says is told as anywhere else: busy or away is a 503, a fault of ours no fault of the request.
  if (error instanceof AppError || error instanceof BaseError) return error;
  if (error instanceof FileTooLarge)
    return new AppError('too_large', `A file of this type may have ${error.maxBytes} bytes at most.`);
  if (error instanceof FileStoreError) return storeUnavailable();
  // Any other error comes from the request's own stream.
  return parseError('The upload ended before the file did.');
}
