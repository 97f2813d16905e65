import type { Ctx, WorkspaceCtx } from '../../../core/context';
import type { Scope } from '../../../core/http/access';

/** How long a push is worth bringing: later the member has seen the page, or somebody else has answered. */
export const pushedForSeconds = 300;

const columns = '(workspace_id, member_id, kind, conversation_id, push_until)';
const concernColumns = '(workspace_id, member_id, kind, conversation_id, ticket_id, source_id, actor_member_id)';
const pushUntil = (level: string): string =>
  `CASE WHEN ${level} = 'push' THEN statement_timestamp() + interval '${pushedForSeconds} seconds' END`;

/** SQL: whether the member `m` holds a permission; the triggers `note_assigned_…` say the same. */
const holdsSql = (scope: Scope): string => `m.is_active AND (m.role <> 'agent' OR '${scope}' = ANY(m.permissions))`;

/** SQL: whether the member `m` may see conversations at all. */
const maySeeSql = holdsSql('chat.view');

/**
 * SQL: tells members of customers' messages, as part of the statement that records them. `given` are the messages,
 * `before` their conversations as they were, and `begins` says whether one begins to wait with it: the member who has
 * the conversation is told of each message, those who could take it only when it begins to wait.
 */
export function noticeMessagesSql(begins: string): string {
  return `
    INSERT INTO notices ${columns}
    SELECT told.workspace_id, told.id, told.kind, before.id, ${pushUntil('told.level')}
    FROM before JOIN given g ON g.conversation_id = before.id AND NOT (g.standby OR g.is_rating)
    CROSS JOIN LATERAL (
      SELECT m.workspace_id, m.id, 'message' AS kind, m.notify_message AS level FROM members m
      WHERE m.id = before.assigned_member_id AND m.workspace_id = $workspaceId AND ${maySeeSql}
      UNION ALL
      SELECT m.workspace_id, m.id, 'unassigned', m.notify_unassigned FROM members m
      WHERE before.assigned_member_id IS NULL AND (${begins}) AND m.workspace_id = $workspaceId AND ${maySeeSql}
        AND (before.assigned_team_inbox_id IS NULL OR EXISTS (SELECT 1 FROM team_inbox_members s
          WHERE s.team_inbox_id = before.assigned_team_inbox_id AND s.member_id = m.id))
    ) told WHERE told.level <> 'off'`;
}

/** Tells who wrote messages that are held now, and who has their conversations; in the surrounding transaction. */
export async function noticeHeld(
  ctx: WorkspaceCtx,
  held: readonly { readonly id: number; readonly conversationId: number; readonly memberId: number | null }[],
): Promise<void> {
  // One statement that reads the settings of each; whoever has several in a conversation is told once.
  await ctx.runtime.db.rows(
    `WITH given AS (
       SELECT m.id, m.workspace_id, m.notify_held AS level, v.id AS conversation_id, min(h.id) AS source_id
       FROM unnest($ids::bigint[], $conversationIds::bigint[], $memberIds::bigint[])
         AS h(id, conversation_id, member_id)
       JOIN conversations v ON v.workspace_id = $workspaceId AND v.id = h.conversation_id
       JOIN members m ON m.workspace_id = $workspaceId AND m.id IN (h.member_id, v.assigned_member_id)
       WHERE ${maySeeSql} GROUP BY m.id, v.id
     ), told AS (
       INSERT INTO notices ${columns}
       SELECT workspace_id, id, 'held', conversation_id, ${pushUntil('level')} FROM given WHERE level <> 'off'
     )
     INSERT INTO concerns ${concernColumns}
     SELECT workspace_id, id, 'held', conversation_id, NULL, source_id, NULL FROM given`,
    {
      workspaceId: ctx.workspaceId,
      ids: held.map(({ id }) => id),
      conversationIds: held.map(({ conversationId }) => conversationId),
      memberIds: held.map(({ memberId }) => memberId),
    },
  );
}

/** Where a text mentions members: a note beside a conversation, or a comment on a ticket. */
type Mentioning =
  | { readonly conversationId: number; readonly noteId: number }
  | { readonly ticketId: number; readonly commentId: number };

/** Tells members that a text mentions them, in the surrounding transaction. */
export async function noticeMentions(ctx: Ctx, where: Mentioning, memberIds: readonly number[]): Promise<void> {
  if (memberIds.length === 0) return;
  const isNote = 'noteId' in where;
  // One statement that reads the settings of each.
  await ctx.runtime.db.rows(
    `WITH given AS (
       SELECT m.id, m.workspace_id, m.notify_mention AS level FROM members m
       WHERE m.workspace_id = $workspaceId AND m.id = ANY($memberIds::bigint[])
         AND ${holdsSql(isNote ? 'chat.view' : 'ticket.view')}
     ), told AS (
       INSERT INTO notices (workspace_id, member_id, kind, conversation_id, ticket_id, push_until)
       SELECT workspace_id, id, 'mention', $conversationId::bigint, $ticketId::bigint, ${pushUntil('level')}
       FROM given WHERE level <> 'off'
     )
     INSERT INTO concerns ${concernColumns}
     SELECT workspace_id, id, 'mention', $conversationId::bigint, $ticketId::bigint, $sourceId::bigint,
       $actorId::bigint FROM given`,
    {
      workspaceId: ctx.workspaceId,
      memberIds,
      conversationId: isNote ? where.conversationId : null,
      ticketId: isNote ? null : where.ticketId,
      sourceId: isNote ? where.noteId : where.commentId,
      actorId: ctx.actor.memberId,
    },
  );
}

/** Tells who may manage rules that rules ask for them, in the surrounding transaction. */
export async function noticeRules(ctx: Ctx, ruleIds: readonly number[]): Promise<void> {
  if (ruleIds.length === 0) return;
  // One statement for all members and rules.
  await ctx.runtime.db.rows(
    `INSERT INTO notices (workspace_id, member_id, kind, rule_id, push_until)
     SELECT m.workspace_id, m.id, 'rule', r.id, clock_timestamp() + interval '${pushedForSeconds} seconds'
     FROM members m JOIN rules r ON r.workspace_id = m.workspace_id
     WHERE m.workspace_id = $workspaceId AND m.is_active AND r.id = ANY($ruleIds::bigint[])
       AND (m.role <> 'agent' OR 'macro.manage' = ANY(m.permissions))`,
    { workspaceId: ctx.workspaceId, ruleIds },
  );
}
