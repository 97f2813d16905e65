import path from 'node:path';
import { BaseError, literal } from 'sequelize';
import { cut } from '../../../core/text/cut';
import type { StoredFileRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { cleanFilename, maxBytesOf, maxFileBytes } from '../../../core/files/contents';
import { FileTooLarge, inspectFile, type Inspected } from '../../../core/files/inspect';
import { FileStoreError } from '../../../core/files/store';
import { AppError, conflict, invalidField, parseError } from '../../../core/http/errors';
import { isoTime, wire } from '../../../core/http/shapes';
import type { Upload } from '../../../core/http/upload';
import { isInUseSql, keptUnused, storeName } from './rows';
import { reason } from '../reasons';

/** A file that was uploaded, as the API shows it. */
export const fileShape = wire.named('UploadedFile', {
  id: wire.text('Names the file where a message, broadcast, stage or canned reply takes one.'),
  mime_type: wire.text('What its content is, whatever it was sent as.'),
  size: wire.integer('In bytes.'),
  sha256: wire.text('Of its bytes, in hex.'),
  filename: wire.text(),
  created_at: wire.datetime(),
});

/** Returns the 503 of a store that is full or away. */
export function storeUnavailable(): AppError {
  return new AppError('unavailable', reason('filesAway'), {
    retryAfter: 5,
  });
}

/** Keeps an upload. Throws 400, 413 and 415 as soon as it is clear, and 503 while the store is full or away. */
export async function keepUpload(ctx: Ctx, upload: Upload): Promise<Record<string, unknown>> {
  const filename = cleanFilename(upload.filename);
  const { StoredFile } = ctx.runtime.db.models;
  let row: StoredFileRow | null = null;
  try {
    const inspected = await inspectFile(upload.bytes(), { declared: upload.declared, filename }, (mimeType) =>
      largestOf(mimeType, filename),
    );
    if (inspected.isEmpty) throw invalidField('file', reason('emptyFile'));
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
    await refuseAboveRoom(ctx);
    await ctx.runtime.files.write(storeName(row), inspected.body);
    return await finish(ctx, row, inspected);
  } catch (error) {
    if (row !== null) await of(ctx, StoredFile).destroy({ where: { id: row.id, status: 'pending' } });
    throw refusalOf(error);
  }
}

/** Bytes that uploads may take which nothing uses. */
const maxUnusedBytes = 2 * 2 ** 30;

/** The refusal of more of them. */
export const tooManyUnused = reason('filesUnused', { max: maxUnusedBytes });

/**
 * Throws 409 where a workspace has as many bytes of files as it may, or as many of uploads that nothing uses. Uploads
 * under way count as the largest of files, so that many at once do not all find the last place free.
 */
async function refuseAboveRoom(ctx: Ctx): Promise<void> {
  const { db, config } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, largest: maxFileBytes };
  const bytes = `coalesce(sum(CASE WHEN f.origin = 'upload' THEN coalesce(f.size, $largest) ELSE f.size END), 0)`;
  // SQL: sums over the index alone.
  const sums = await db.row<{ all: number; uploads: number }>(
    `SELECT (${bytes})::float8 AS all, (${bytes.replace(' ELSE f.size', '')})::float8 AS uploads
     FROM files f WHERE f.workspace_id = $workspaceId`,
    bind,
  );
  if (sums && sums.all > config.files.perWorkspace)
    throw conflict(reason('filesFull', { max: config.files.perWorkspace }));
  if (!sums || sums.uploads <= maxUnusedBytes) return;
  const unused = await db.row<{ bytes: number }>(
    `SELECT (${bytes})::float8 AS bytes FROM files f
     WHERE f.workspace_id = $workspaceId AND f.origin = 'upload'
       AND NOT EXISTS (SELECT FROM messages m WHERE m.workspace_id = f.workspace_id AND m.file_id = f.id)
       AND NOT ${isInUseSql}`,
    bind,
  );
  if (unused && unused.bytes > maxUnusedBytes) throw conflict(tooManyUnused);
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

function largestOf(mimeType: string, filename: string): number {
  const maxBytes = maxBytesOf(mimeType);
  if (maxBytes !== null) return maxBytes;
  // People know a kind by the end of a name.
  const kind = path.extname(filename) || mimeType;
  throw new AppError('unsupported_media_type', reason('noSuchKind', { kind: cut(kind, 100) }));
}

function refusalOf(error: unknown): unknown {
  // What the database says is told as anywhere else: busy or away is a 503, a fault of ours no fault of the request.
  if (error instanceof AppError || error instanceof BaseError) return error;
  if (error instanceof FileTooLarge) return new AppError('too_large', reason('kindTooLarge', { max: error.maxBytes }));
  if (error instanceof FileStoreError) return storeUnavailable();
  // Any other error comes from the request's own stream.
  return parseError(reason('uploadBroken'));
}
