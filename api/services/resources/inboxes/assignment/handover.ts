import { invalid } from '../../../../core/http/errors';
import type { Ctx } from '../../../../core/context';
import type { NoteView } from '../../notes/serializer';
import { createNote } from '../../notes/service';
import { updateConversation } from '../../conversations/service';
import { reason } from '../../reasons';

interface Handover {
  readonly assigned_member?: number | undefined;
  readonly assigned_team_inbox?: number | undefined;
  readonly note: string;
}

/**
 * Gives a conversation to a member or a team inbox with a note, or does neither. In a team inbox it has no member
 * unless one is named: there it waits. Throws 400 and 404.
 */
export async function handOver(ctx: Ctx, handle: string, { note, ...to }: Handover): Promise<NoteView> {
  if (to.assigned_member === undefined && to.assigned_team_inbox === undefined)
    throw invalid({ assigned_member: [reason('handoverNobody')] });
  return ctx.runtime.db.transaction(async () => {
    await updateConversation(ctx, handle, { assigned_member: null, ...to });
    return createNote(ctx, handle, note);
  });
}
