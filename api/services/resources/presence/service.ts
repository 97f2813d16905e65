import type { PresenceState } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { userJsonSql } from '../../identity/members/userColumns';
import { findContact } from '../contacts/service';
import type { PresenceView } from './serializer';

/** SQL: whether the sign `p` of a member still counts. A page that is open gives one every ten seconds. */
export const isPresentSql = "p.seen_at > clock_timestamp() - interval '30 seconds'";

/** Returns who is in the conversations of the workspace. */
export async function listPresence(ctx: Ctx): Promise<PresenceView[]> {
  // With a JSON column of another table, which a model's query cannot have in a typed way.
  return ctx.runtime.db.rows<PresenceView>(
    `SELECT p.conversation_id, c.receiver_id, p.state, p.seen_at, ${userJsonSql('m')} AS member
     FROM presence p
     JOIN members m ON m.id = p.member_id AND ${ofWorkspace('m.workspace_id')}
     JOIN contacts c ON c.id = p.conversation_id AND ${ofWorkspace('c.workspace_id')}
     WHERE p.workspace_id = $workspaceId AND ${isPresentSql}
     ORDER BY p.conversation_id, p.member_id`,
    { workspaceId: ctx.workspaceId },
  );
}

/** Notes that the acting member looks at a conversation, writes in it, or has left it. Throws 404. */
export async function setPresence(ctx: Ctx, handle: string, state: PresenceState | 'left'): Promise<void> {
  const { Presence } = ctx.runtime.db.models;
  const { id: conversationId } = await findContact(ctx, handle);
  const memberId = ctx.actor.memberId;
  if (memberId === null) return;
  if (state === 'left') {
    await of(ctx, Presence).destroy({ where: { conversation_id: conversationId, member_id: memberId } });
    return;
  }
  // One statement for the first sign and for all that follow.
  await ctx.runtime.db.rows(
    `INSERT INTO presence (workspace_id, conversation_id, member_id, state)
     VALUES ($workspaceId, $conversationId, $memberId, $state)
     ON CONFLICT (workspace_id, conversation_id, member_id)
     DO UPDATE SET state = EXCLUDED.state, seen_at = clock_timestamp()`,
    { workspaceId: ctx.workspaceId, conversationId, memberId, state },
  );
}
