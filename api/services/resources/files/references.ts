import { cut } from '../../../core/text/cut';
import type { StoredFileRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { fileLimits, type FileKind } from '../../../core/files/contents';
import { invalidField } from '../../../core/http/errors';
import { isPlainObject } from '../../../core/http/fields';
import { type TemplateContent } from '../templates/requiredParts';
import { headerFileKind } from '../templates/parameters';
import { isFileKind, keptUnused } from './rows';
import { reason } from '../reasons';
import type { Reason } from '../../../core/http/reasons';

/** What our ids of files begin with; the platform's are digits. */
const ours = /^med_/;

type Json = Record<string, unknown>;

/** A place in a message that names a file of ours. */
interface Reference {
  readonly kind: FileKind;
  readonly content: Json;
}

/** Returns the places of a body that name files of ours: the `id` of an object under the name of a type. */
function referencesIn(body: unknown): Reference[] {
  if (Array.isArray(body)) return body.flatMap(referencesIn);
  if (!isPlainObject(body)) return [];
  return Object.entries(body).flatMap(([key, value]) =>
    isFileKind(key) && isPlainObject(value) && typeof value['id'] === 'string' && ours.test(value['id'])
      ? [{ kind: key, content: value }]
      : referencesIn(value),
  );
}

/**
 * Returns the id of the file of ours that a message carries, in the surrounding transaction; null where it carries
 * none. A document gets the name of its file. Throws the 400 of `field`.
 */
export async function carriedFile(ctx: Ctx, field: string, body: unknown): Promise<number | null> {
  const references = referencesIn(body);
  const [first] = references;
  if (!first) return null;
  if (new Set(references.map(({ content }) => content['id'])).size > 1) throw invalidField(field, reason('oneUpload'));
  const file = await useFile(ctx, String(first.content['id']), first.kind, (problem) =>
    invalidField(field, problem.at('id: ')),
  );
  for (const { kind, content } of references)
    if (kind === 'document' && file.filename !== '') content['filename'] ??= file.filename;
  return file.id;
}

/** Checks the file that a broadcast or stage has for the header of its template. Throws the 400 of `field`. */
export async function checkHeader(
  ctx: Ctx,
  field: string,
  template: Pick<TemplateContent, 'components'>,
  mediaId: string | null,
): Promise<void> {
  const kind = headerFileKind(template);
  if (kind === null) {
    if (mediaId !== null) throw invalidField(field, reason('headerNoFile'));
    return;
  }
  if (mediaId === null) throw invalidField(field, reason('required'));
  await useFile(ctx, mediaId, kind, (problem) => invalidField(field, problem));
}

type Upload = Pick<StoredFileRow, 'id' | 'filename' | 'mime_type' | 'size'>;
type Refusal = (problem: Reason) => Error;

/** Takes an upload for use: the sweep of unused ones passes it by. */
export async function takeUpload(ctx: Ctx, id: string, refusal: Refusal): Promise<Upload> {
  // SQL: of this and the sweep, one comes first.
  const file = await ctx.runtime.db.row<Upload>(
    `UPDATE files SET look_at = greatest(look_at, now() + ${keptUnused})
     WHERE workspace_id = $workspaceId AND public_id = $id AND origin = 'upload' AND status = 'stored'
     RETURNING id, filename, mime_type, size`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!file) throw refusal(reason('uploadGone', { id: cut(id, 100) }));
  return file;
}

/** Takes an upload for use as a kind of message. */
async function useFile(ctx: Ctx, id: string, kind: FileKind, refusal: Refusal): Promise<Upload> {
  const file = await takeUpload(ctx, id, refusal);
  const { contents, maxBytes } = fileLimits[kind];
  if (!contents.includes(file.mime_type)) throw refusal(reason('fileOtherKind', { type: file.mime_type, kind }));
  if ((file.size ?? 0) > maxBytes) throw refusal(reason('fileTooLarge', { size: file.size ?? 0, kind, max: maxBytes }));
  return file;
}
