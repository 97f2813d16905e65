import { cut } from '../../../core/text/cut';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { cleanFilename, isShownInline } from '../../../core/files/contents';
import { FileStoreError } from '../../../core/files/store';
import { AppError, notFound } from '../../../core/http/errors';
import { stream, type Stream } from '../../../core/http/operations';
import type { StoredFileRow } from '../../../../models';
import { conversationsByIds } from '../conversations/service';
import { storeName } from '../files/rows';
import { storeUnavailable } from '../files/uploads';
import { reason } from '../reasons';

/** Returns the file of a message as a stream. Throws 404 where it has none or lost it, 503 until it is here. */
export async function openMedia(ctx: Ctx, messageId: number): Promise<Stream> {
  const { Message, StoredFile } = ctx.runtime.db.models;
  const attributes = ['file_id', 'conversation_id'] as const;
  const message = await of(ctx, Message).findOne({ attributes: [...attributes], where: { id: messageId }, raw: true });
  // The messages of an erased contact may still be being removed.
  if (!message || (await conversationsByIds(ctx, [message.conversation_id])).size === 0) throw notFound();
  const { file_id: id } = message;
  const file = id === null ? null : await of(ctx, StoredFile).findOne({ where: { id }, raw: true });
  if (!file) throw notFound(reason('noAttachment'));
  if (file.status === 'lost')
    throw notFound(file.error === '' ? reason('attachmentLost') : reason('attachmentLostFor', { why: file.error }));
  if (file.status === 'pending') throw new AppError('unavailable', reason('attachmentComing'), { retryAfter: 5 });

  return stream({
    sizeBytes: file.size ?? 0,
    headers: headersOf(file),
    async open(range) {
      const bytes = await ctx.runtime.files.read(storeName(file), range).catch((error: unknown) => {
        throw error instanceof FileStoreError ? storeUnavailable() : error;
      });
      if (!bytes) throw notFound(reason('attachmentGone'));
      return bytes;
    },
  });
}

/** Headers of a file: nothing that could run in a browser is shown by it. Its name may be a stranger's. */
export function headersOf(file: Pick<StoredFileRow, 'mime_type' | 'filename'>): Record<string, string> {
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(file.mime_type) ? file.mime_type : 'application/octet-stream';
  const disposition = isShownInline(type) ? 'inline' : 'attachment';
  const name = cut(cleanFilename(file.filename), 200);
  const ascii = name.replace(/[^\x20-\x7e]/g, '_');
  return {
    'Content-Type': type,
    'Content-Disposition':
      name === '' ? disposition : `${disposition}; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    'Content-Security-Policy':
      "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, max-age=300',
  };
}
