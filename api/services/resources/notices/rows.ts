import type { Ctx } from '../../../core/context';

/** How long a push is worth bringing: later the member has seen the page, or somebody else has answered. */
export const pushedForSeconds = 300;

const columns = '(workspace_id, member_id, kind, conversation_id, push_until)';
const pushUntil = (level: string): string =>
  `CASE WHEN ${level} = 'push' THEN clock_timestamp() + interval '${pushedForSeconds} seconds' END`;

/** SQL: whether the member `m` may see conversations at all; the trigger `note_assigned_member` says the same. */
const maySeeSql = "m.is_active AND (m.role <> 'agent' OR 'chat.view' = ANY(m.permissions))";

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

/** Tells members that a note mentions them, in the surrounding transaction. */
export async function noticeMentions(ctx: Ctx, conversationId: number, memberIds: readonly number[]): Promise<void> {
  if (memberIds.length === 0) return;
  // One statement that reads the settings of each.
  await ctx.runtime.db.rows(
    `INSERT INTO notices ${columns}
     SELECT m.workspace_id, m.id, 'mention', $conversationId, ${pushUntil('m.notify_mention')} FROM members m
     WHERE m.workspace_id = $workspaceId AND m.id = ANY($memberIds::bigint[]) AND m.notify_mention <> 'off'
       AND ${maySeeSql}`,
    { workspaceId: ctx.workspaceId, conversationId, memberIds },
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
