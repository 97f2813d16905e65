import { cut } from '../../../core/text/cut';
import type { MessageRow, StoredFileRow } from '../../../../models';
import { dueNowSql } from '../../../core/clock';
import { ofWorkspace } from '../../../core/db/database';
import { cleanFilename, fileKinds, type FileKind } from '../../../core/files/contents';
import { isPlainObject } from '../../../core/http/fields';
import { wire } from '../../../core/http/shapes';
import type { WorkspaceCtx } from '../../../core/context';
import type { Runtime } from '../../../core/runtime';

/** How long the platform keeps a customer's file (upstream 3.1). */
const keptByPlatform = "interval '7 days'";
/** How long an unused upload is kept (contract 17). */
export const keptUnused = "interval '7 days'";

/** Returns the name of a file in the store: our own, with folders that do not grow too large. */
export function storeName({
  workspace_id: workspaceId,
  public_id: id,
}: Pick<StoredFileRow, 'workspace_id' | 'public_id'>): string {
  return `${workspaceId}/${id.slice(4, 6)}/${id}`;
}

/** A customer's file as its message names it. */
interface Attachment {
  readonly id: string;
  readonly mime_type: string;
  readonly filename: string;
}

/** Returns the file that a message of a customer's brings; null where it brings none. */
function attachmentOf({ type, body }: Pick<MessageRow, 'type' | 'body'>): Attachment | null {
  const content = isPlainObject(body) ? body[type] : undefined;
  if (!isFileKind(type) || !isPlainObject(content)) return null;
  const { id, mime_type: mimeType, filename } = content;
  if (typeof id !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(id)) return null;
  const text = (value: unknown): string => (typeof value === 'string' ? cut(value, 240) : '');
  return { id, mime_type: text(mimeType), filename: cleanFilename(text(filename)) };
}

/** Returns messages as JSON, each with the `attachment` that it brings. */
export function withAttachments(messages: readonly Pick<MessageRow, 'type' | 'body'>[]): string {
  return JSON.stringify(messages.map((message) => ({ ...message, attachment: attachmentOf(message) ?? undefined })));
}

export const isFileKind = (type: string): type is FileKind => fileKinds.includes(type as FileKind);

/** SQL: the id that the file of a message gets whose attachment is this JSON. */
export const newFileIdSql = (attachment: string): string =>
  `CASE WHEN ${attachment} IS NOT NULL THEN nextval(pg_get_serial_sequence('files', 'id')) END`;

/**
 * SQL: stores what is known of the files of messages that came in, so that they are fetched. `given` has `file_id,
 * attachment, type, phone_number_id` of all; `stored` the `file_id`s of those messages that are new.
 */
export const awaitFilesSql = (runtime: Runtime, given: string, stored: string): string => `
  INSERT INTO files (id, workspace_id, origin, message_type, phone_number_id, platform_id, mime_type, filename,
    next_attempt_at, fetch_until)
  SELECT g.file_id, $workspaceId, 'customer', g.type, g.phone_number_id, g.attachment->>'id',
    g.attachment->>'mime_type', g.attachment->>'filename', ${dueNowSql(runtime.clock)},
    ${dueNowSql(runtime.clock)} + ${keptByPlatform}
  FROM ${given} g JOIN ${stored} s ON s.file_id = g.file_id`;

/** SQL: what message `m` shows of its file. */
export const mediaSql = `(SELECT jsonb_build_object('status', f.status, 'error', f.error, 'mime_type', f.mime_type,
    'size', f.size, 'filename', f.filename, 'sha256', f.sha256)
  FROM files f WHERE f.id = m.file_id AND f.workspace_id = m.workspace_id)`;

/** What a message shows of its file. */
export const mediaShape = wire.named('MessageFile', {
  status: {
    ...wire.oneOf(['pending', 'stored', 'lost']),
    description: 'A file of a customer is fetched from the platform as soon as it is seen: `pending` until it is here.',
  },
  error: wire.text('Why the last attempt to fetch it failed; of a lost one, why it is lost.'),
  mime_type: wire.text('What its content is; until it is stored, what the sender said.'),
  size: wire.nullable(wire.integer('In bytes.')),
  filename: wire.text(),
  sha256: wire.nullable(wire.text('Of its bytes, in hex.')),
});

/** SQL: something besides messages refers to file `f`. A call that waits for a decision has it in what was frozen. */
export const isInUseSql = `(EXISTS (SELECT FROM broadcasts b WHERE b.header_media_id = f.public_id)
  OR EXISTS (SELECT FROM ticket_stages s WHERE s.notify_template_media_id = f.public_id)
  OR EXISTS (SELECT FROM canned_replies c WHERE c.media_ids @> ARRAY[f.public_id::text])
  OR EXISTS (SELECT FROM scheduled_messages l WHERE l.file_id = f.id)
  OR EXISTS (SELECT FROM ticket_stage_moves v WHERE v.template_media_id = f.public_id AND v.completed_at IS NULL)
  OR f.origin = 'upload' AND (
    EXISTS (SELECT FROM approvals a WHERE a.workspace_id = f.workspace_id AND a.status = 'pending'
      AND strpos(a.frozen::text, f.public_id) > 0)
    OR EXISTS (SELECT FROM macros k WHERE k.workspace_id = f.workspace_id
      AND strpos(k.actions::text, f.public_id) > 0)))`;

/**
 * Erases the files of these messages that no other conversation has, in the surrounding transaction; a sweep takes
 * their bytes out of the store. SQL: what else refers to them is in other tables.
 */
export async function eraseFiles(
  { runtime, workspaceId }: WorkspaceCtx,
  conversationId: number,
  messageIds: readonly number[],
): Promise<void> {
  await runtime.db.rows(
    `DELETE FROM files f USING messages m
     WHERE m.workspace_id = $workspaceId AND m.id = ANY($messageIds::bigint[]) AND f.id = m.file_id
       AND NOT EXISTS (SELECT FROM messages o WHERE o.file_id = f.id AND o.conversation_id <> $conversationId)
       AND NOT ${isInUseSql}`,
    { workspaceId, conversationId, messageIds },
  );
}

/**
 * Erases the messages that were to be sent later to a customer, with their files that nothing else has, in the
 * surrounding transaction. Two statements: the second one must not see the rows any more.
 */
export async function eraseScheduled({ runtime, workspaceId }: WorkspaceCtx, conversationId: number): Promise<void> {
  const gone = await runtime.db.rows<{ file_id: number | null }>(
    `DELETE FROM scheduled_messages WHERE workspace_id = $workspaceId AND conversation_id = $conversationId
     RETURNING file_id`,
    { workspaceId, conversationId },
  );
  const fileIds = gone.flatMap(({ file_id: id }) => (id === null ? [] : [id]));
  if (fileIds.length === 0) return;
  await runtime.db.rows(
    `DELETE FROM files f
     WHERE f.workspace_id = $workspaceId AND f.id = ANY($fileIds::bigint[])
       AND NOT EXISTS (SELECT FROM messages o WHERE o.file_id = f.id AND o.conversation_id <> $conversationId)
       AND NOT ${isInUseSql}`,
    { workspaceId, conversationId, fileIds },
  );
}

/** A stored file that a message carries, with what the platform calls it; null where it does not have it yet. */
export interface CarriedFile extends Pick<
  StoredFileRow,
  'id' | 'workspace_id' | 'public_id' | 'mime_type' | 'filename' | 'size'
> {
  readonly platform_id: string | null;
}

/** How long an upload at the platform is used; the platform keeps it for thirty days (contract 17). */
const usedFor = "interval '25 days'";

/** SQL: the file with this id as its message needs it that goes out by this number. */
export const carriedFileSql = (fileId: string, numberPk: string): string => `(SELECT jsonb_build_object('id', f.id,
    'workspace_id', f.workspace_id, 'public_id', f.public_id, 'mime_type', f.mime_type, 'filename', f.filename,
    'size', f.size, 'platform_id', (SELECT u.platform_id FROM file_uploads u
      WHERE u.file_id = f.id AND u.phone_number_id = ${numberPk} AND u.uploaded_at > now() - ${usedFor}))
  FROM files f WHERE f.id = ${fileId} AND ${ofWorkspace('f.workspace_id')})`;

/** SQL: the file of a template's header, as its components name it; of the workspace `$workspaceId`. */
export const headerFileSql = (publicId: string): string =>
  `(SELECT jsonb_build_object('id', f.public_id, 'filename', f.filename) FROM files f
    WHERE f.public_id = ${publicId} AND f.status = 'stored' AND ${ofWorkspace('f.workspace_id')})`;

/** SQL: the id of the stored file with this public id, of the workspace `$workspaceId`. */
export const fileIdSql = (publicId: string): string =>
  `(SELECT f.id FROM files f WHERE f.public_id = ${publicId} AND f.status = 'stored'
    AND ${ofWorkspace('f.workspace_id')})`;
