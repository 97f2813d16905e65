import { Transform, type Readable } from 'node:stream';
import type { Ctx } from '../../../core/context';
import { AppError, notFound } from '../../../core/http/errors';
import { reasonOf } from '../../../core/http/faults';
import { isPlainObject } from '../../../core/http/fields';
import { stream, type Stream } from '../../../core/http/operations';
import { of } from '../../../core/db/scoped';
import { isUnknownObject } from '../../../core/platform/upstream';
import { credentialsOf } from '../accounts/service';

/** The largest file that the platform takes is a document of 100 MB (upstream 1.2). */
const maxBytes = 105 * 1024 * 1024;
const mediaTypes = new Set(['image', 'video', 'audio', 'document', 'sticker']);
const gone = 'The attachment is not available at the platform any more.';
/** Shown in a browser as they are; everything else is offered for saving. */
const inlineTypes = /^(image\/(jpeg|png|webp|gif)|audio\/|video\/)/;

interface Attachment {
  readonly id: string;
  readonly filename: string;
  readonly account: number;
}

/** Returns the attachment of a message as a stream. Throws 404 where there is none or the upstream has it no longer. */
export async function openMedia(ctx: Ctx, messageId: number): Promise<Stream> {
  const attachment = await findAttachment(ctx, messageId);
  const { accessToken } = await credentialsOf(ctx.runtime, attachment.account);

  // Its link lives five minutes: when it has just run out, a new one is asked for once.
  for (let attempt = 1; ; attempt += 1) {
    const { url, type } = await lookUp(ctx, accessToken, attachment);
    const answer = await ctx.runtime.upstream
      .download(accessToken, url)
      .catch((error: unknown) => unavailable(ctx, error));
    if (answer.status === 200) {
      const length = Number(answer.headers['content-length'] ?? Number.NaN);
      if (length > maxBytes) {
        answer.body.destroy();
        throw notFound('The attachment is larger than this service passes on.');
      }
      return stream(bounded(answer.body), headersOf(attachment, answer.headers['content-type'] ?? type, length));
    }

    await answer.body.dump();
    if (answer.status !== 401 && answer.status !== 403 && answer.status !== 404)
      return unavailable(ctx, new Error(`status ${answer.status}`));
    if (attempt >= 2) throw notFound(gone);
  }
}

async function findAttachment(ctx: Ctx, messageId: number): Promise<Attachment> {
  const { models } = ctx.runtime.db;
  const row = await of(ctx, models.Message).findOne({
    attributes: ['type', 'body', 'phone_number_id'],
    where: { id: messageId },
    raw: true,
  });
  if (!row) throw notFound();

  const content = isPlainObject(row.body) ? row.body[row.type] : undefined;
  const id = isPlainObject(content) ? content['id'] : undefined;
  if (
    !mediaTypes.has(row.type) ||
    !isPlainObject(content) ||
    typeof id !== 'string' ||
    !/^[A-Za-z0-9_-]{1,64}$/.test(id)
  )
    throw notFound('This message has no attachment.');

  const number =
    row.phone_number_id === null
      ? null
      : await of(ctx, models.PhoneNumber).findOne({
          attributes: ['business_account_id'],
          where: { id: row.phone_number_id },
          raw: true,
        });
  if (!number) throw notFound(gone);
  return {
    id,
    filename: typeof content['filename'] === 'string' ? content['filename'] : '',
    account: number.business_account_id,
  };
}

async function lookUp(ctx: Ctx, accessToken: string, attachment: Attachment): Promise<{ url: string; type: string }> {
  // Without the number: the platform takes that parameter for files that were uploaded on it only (upstream 1.2).
  const node = await ctx.runtime.upstream
    .get(accessToken, encodeURIComponent(attachment.id), {})
    .catch((error: unknown) => {
      if (isUnknownObject(error)) throw notFound(gone);
      return unavailable(ctx, error);
    });
  const url = node['url'];
  if (typeof url !== 'string') throw notFound(gone);
  return { url, type: typeof node['mime_type'] === 'string' ? node['mime_type'] : '' };
}

function unavailable(ctx: Ctx, error: unknown): never {
  ctx.logger.warn(
    { event: 'media.read_failed', reason: reasonOf(error) },
    'an attachment could not be read from the platform',
  );
  throw new AppError('unavailable', 'The platform cannot be reached. Try again shortly.', { retryAfter: 5 });
}

/** Ends a stream that gives more than its headers said or than anything may have. */
function bounded(body: Readable): Readable {
  let seen = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > maxBytes) done(new Error('the attachment is larger than announced'));
      else done(null, chunk);
    },
  });
  body.on('error', (error) => limit.destroy(error));
  limit.on('close', () => body.destroy());
  return body.pipe(limit);
}

/** Headers of an attachment; its name is the customer's, and may hold or end in half a character. */
export function headersOf(attachment: Attachment, contentType: string, length: number): Record<string, string> {
  const type = /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+="?[\w.+-]+"?)*$/.test(contentType)
    ? contentType
    : 'application/octet-stream';
  const disposition = inlineTypes.test(type) ? 'inline' : 'attachment';
  const name = attachment.filename
    .replace(/[\u0000-\u001f\u007f"\\/]/g, '_')
    .slice(0, 200)
    .toWellFormed();
  const ascii = name.replace(/[^\x20-\x7e]/g, '_');
  return {
    'Content-Type': type,
    ...(Number.isFinite(length) ? { 'Content-Length': String(length) } : {}),
    'Content-Disposition':
      name === '' ? disposition : `${disposition}; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    'Cache-Control': 'private, max-age=300',
  };
}
