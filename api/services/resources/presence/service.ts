import { col, literal } from 'sequelize';
import type { PresenceState } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { joined, of, recordsOf } from '../../../core/db/scoped';
import { userJsonSql } from '../../identity/members/userColumns';
import { findContact } from '../contacts/service';
import { tellCustomer } from '../messages/customerSigns';
import type { PresenceView } from './serializer';

/**
 * SQL: whether the sign of a member (an alias of the table) still counts. A page that is open gives one every ten
 * seconds.
 */
export const isPresentSql = (sign: string): string => `${sign}.seen_at > clock_timestamp() - interval '30 seconds'`;

/** Returns who is in the conversations of the workspace. */
export function listPresence(ctx: Ctx): Promise<PresenceView[]> {
  return recordsOf<PresenceView>(ctx, ctx.runtime.db.models.Presence, {
    attributes: [
      ...['conversation_id', 'state', 'seen_at'],
      [col('contact.receiver_id'), 'receiver_id'],
      [literal(userJsonSql('member')), 'member'],
    ],
    where: literal(isPresentSql('"Presence"')),
    include: [joined('contact', true), joined('member', true)],
    order: ['conversation_id', 'member_id'],
  });
}

/** How long the platform shows "typing…" once it was told, and a little less. */
const typingLasts = "interval '20 seconds'";

/**
 * Notes that the acting member looks at a conversation, writes a message in it, or has left it; the customer is told of
 * who writes to them. Throws 404.
 */
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
  if (state === 'writing' && ctx.scopes.has('chat.send_message'))
    tellCustomer(ctx, conversationId, 'typing', () => isTypingDue(ctx, conversationId, memberId));
}

/** Notes that the customer is told by this member's sign, unless they were told by one a moment ago. */
async function isTypingDue({ runtime, workspaceId }: Ctx, conversationId: number, memberId: number): Promise<boolean> {
  // SQL: of several who write at once, in any process, one tells.
  const told = await runtime.db.row(
    `UPDATE presence SET typing_told_at = clock_timestamp()
     WHERE workspace_id = $workspaceId AND conversation_id = $conversationId AND member_id = $memberId
       AND NOT EXISTS (SELECT 1 FROM presence o
         WHERE o.workspace_id = $workspaceId AND o.conversation_id = $conversationId
           AND o.typing_told_at > clock_timestamp() - ${typingLasts})
     RETURNING member_id`,
    { workspaceId, conversationId, memberId },
  );
  return told !== null;
}
