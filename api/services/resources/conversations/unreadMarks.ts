import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';

/** So many marks count, the newest: nobody comes back to more. */
const maxMarks = 1_000;

/**
 * Returns whose marks the caller sees and makes: their own, in a session of the dashboard. A mark is a habit of a
 * person: keys and agents of theirs read what is there.
 */
const markerOf = ({ actor: { sessionId, memberId } }: Ctx): number | null =>
  sessionId === undefined ? null : memberId;

/** Marks conversations as unread, for the acting member alone. Returns how many have the mark now. */
export async function markUnread(ctx: Ctx, ids: readonly number[]): Promise<number> {
  const memberId = markerOf(ctx);
  if (memberId === null) return 0;
  const rows = ids.map((id) => ({ workspace_id: ctx.workspaceId, member_id: memberId, conversation_id: id }));
  await ctx.runtime.db.models.UnreadMark.bulkCreate(rows, { ignoreDuplicates: true });
  return rows.length;
}

/** Takes the acting member's mark from a conversation that they have looked at. */
export async function clearMark(ctx: Ctx, conversationId: number): Promise<void> {
  const memberId = markerOf(ctx);
  if (memberId === null) return;
  const where = { member_id: memberId, conversation_id: conversationId };
  await of(ctx, ctx.runtime.db.models.UnreadMark).destroy({ where });
}

/** Returns which conversations the acting member has marked as unread. */
export async function markedUnread(ctx: Ctx): Promise<number[]> {
  const memberId = markerOf(ctx);
  if (memberId === null) return [];
  // SQL, which a page sends once: its list and its thread both ask.
  const rows = await ctx.runtime.db.rows<{ conversation_id: number }>(
    `SELECT conversation_id FROM unread_marks WHERE workspace_id = $workspaceId AND member_id = $memberId
     ORDER BY created_at DESC LIMIT ${maxMarks}`,
    { workspaceId: ctx.workspaceId, memberId },
  );
  return rows.map(({ conversation_id: id }) => id);
}
