import { Transaction } from 'sequelize';
import type { MessageRow } from '../../../../../models';
import type { Ctx } from '../../../../core/context';
import { of } from '../../../../core/db/scoped';
import { dbNow } from '../../../../core/db/columnValues';
import { isPlainObject } from '../../../../core/http/fields';
import { recordEvent } from '../../../../core/queue/events';

type Body = Record<string, unknown>;

/** A content that a message had, and from when on. */
interface Version {
  readonly body: Body;
  readonly at: string;
}

/** What the author of a message says about it later: another content, or that it is deleted. */
interface Correction {
  readonly wamid: string;
  readonly direction: MessageRow['direction'];
  readonly at: Date;
  /** The new content, `{type, <type>: {…}}`; null: it is deleted. */
  readonly body: Body | null;
}

/** Characters of JSON that a message's earlier contents may have: as many as the longest message. */
const maxEdits = 256 * 1024;

/**
 * Shows a message as its author wants it now, in the surrounding transaction; its place in the conversation stays, and
 * nobody is asked to answer. Whatever order corrections come in, and however often, the newest content is shown and
 * the earlier ones are kept. Returns whether the message is known.
 */
export async function correctMessage(ctx: Ctx, { wamid, direction, at, body }: Correction): Promise<boolean> {
  const messages = of(ctx, ctx.runtime.db.models.Message);
  const row = await messages.findOne({
    attributes: ['id', 'conversation_id', 'body', 'edits', 'edited_at', 'deleted_at', 'created_at'],
    where: { wamid, direction },
    lock: Transaction.LOCK.UPDATE,
    raw: true,
  });
  if (!row) return false;
  const change = body === null ? deletion(row.deleted_at, at) : edition(row, { body, at: at.toISOString() });
  if (change === null) return true;
  await messages.update({ ...change, updated_at: dbNow }, { where: { id: row.id } });
  await recordEvent(ctx, {
    subjectType: 'conversation',
    subjectId: row.conversation_id,
    kind: body === null ? 'message_deleted' : 'message_edited',
    data: { message_id: row.id },
  });
  return true;
}

const deletion = (deletedAt: Date | null, at: Date): Partial<MessageRow> | null =>
  deletedAt === null ? { deleted_at: at } : null;

type Edited = Pick<MessageRow, 'body' | 'edits' | 'edited_at' | 'created_at'>;

/** Returns what an edit changes of a message; null for one that was taken already. */
function edition(row: Edited, edit: Version): Partial<MessageRow> | null {
  const shown = row.body as Body;
  const known = [
    ...(row.edits as Version[]),
    { body: shown, at: (row.edited_at ?? row.created_at).toISOString() },
  ] as const;
  const body = editedBody(shown, edit.body);
  if (known.some((version) => version.at === edit.at && sameContent(version.body, body))) return null;
  // The first content is the oldest, whatever the clocks say: the platform's has only seconds.
  const [first, ...later] = known;
  const versions = [
    first,
    ...[...later, { body, at: edit.at }].sort((left, right) => Date.parse(left.at) - Date.parse(right.at)),
  ];
  const newest = versions.pop();
  if (!newest) return null;
  while (JSON.stringify(versions).length > maxEdits) versions.shift();
  return {
    type: String(newest.body['type']),
    body: newest.body,
    edits: versions,
    edited_at: new Date(newest.at),
  };
}

/** Returns a body with its new content; what the edit does not name of it, such as the file of a caption, stays. */
function editedBody(shown: Body, edit: Body): Body {
  const [before, type] = [String(shown['type']), String(edit['type'])];
  const { [before]: content, ...rest } = shown;
  const given = edit[type];
  const kept = before === type && isPlainObject(content) ? content : {};
  return { ...rest, type, [type]: isPlainObject(given) ? { ...kept, ...given } : given };
}

const sameContent = (left: Body, right: Body): boolean =>
  JSON.stringify(left[String(left['type'])]) === JSON.stringify(right[String(right['type'])]);
