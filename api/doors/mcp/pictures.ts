import { buffer } from 'node:stream/consumers';
import type { ImageContent } from '@modelcontextprotocol/sdk/types.js';
import { fileLimits } from '../../core/files/contents';
import { scaledPicture } from '../../core/files/pictures';
import type { Ctx } from '../../core/context';
import { AppError } from '../../core/http/errors';
import { isPlainObject } from '../../core/http/fields';
import { isPage } from '../../core/http/operations';
import { openMedia } from '../../services/resources/messages/media';

type Json = Record<string, unknown>;

/** How many pictures of customers a result shows, and of how many bytes each (contract 11.1). */
const maxPictures = 4;
const maxBytes = 1_000_000;

/** What is read as a picture, and up to which size: what the platform takes as one. */
const shown = [...fileLimits.image.contents, ...fileLimits.sticker.contents];

/**
 * Returns the newest kept pictures that customers have sent in a page of messages, and what is told of it with the
 * number of its picture at each file. What cannot be read is told by its name, like any other file.
 */
export async function withPictures(
  ctx: Ctx,
  page: unknown,
  told: Json,
): Promise<{ readonly told: Json; readonly pictures: readonly ImageContent[] }> {
  const pictures: ImageContent[] = [];
  const numbers = new Map<unknown, number>();
  for (const { id, direction, media } of isPage(page) ? page.items.filter(isPlainObject) : []) {
    if (pictures.length === maxPictures) break;
    if (direction !== 'inbound' || !isPlainObject(media) || !isPicture(media)) continue;
    const picture = await pictureOf(ctx, Number(id));
    if (!picture) continue;
    pictures.push({ type: 'image', data: picture.toString('base64'), mimeType: 'image/jpeg' });
    numbers.set(id, pictures.length);
  }
  const results = (told['results'] as readonly Json[]).map((message) => {
    const image = numbers.get(message['id']);
    return image === undefined ? message : { ...message, file: { ...(message['file'] as Json), image } };
  });
  return { told: { ...told, results }, pictures };
}

function isPicture({ status, mime_type: type, size }: Json): boolean {
  return status === 'stored' && shown.includes(String(type)) && Number(size) <= fileLimits.image.maxBytes;
}

async function pictureOf(ctx: Ctx, messageId: number): Promise<Buffer | null> {
  try {
    const bytes = await buffer(await (await openMedia(ctx, messageId)).open());
    return await scaledPicture(bytes, maxBytes);
  } catch (error) {
    // Gone meanwhile, or the store is away: the messages are told all the same.
    if (error instanceof AppError) return null;
    throw error;
  }
}
