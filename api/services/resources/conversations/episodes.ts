import type { Ctx } from '../../../core/context';
import { endedStatuses, isOneOfSql } from '../../../core/conversationStates';

/*
 * What reports count: an episode begins with a customer's message where none is under way, and ends when the
 * conversation is done with. Whoever writes one says that its days are to be summed up (reports/dailySums.ts).
 */

/** SQL: what an episode is counted under, as conversation `v` and its contact `c` are now. */
const placedSql = 'team_inbox_id = v.assigned_team_inbox_id, tags = c.tags, unsummed = true';

/**
 * SQL: begins an episode for each message of `given` in a conversation of `before`, as it was before that message. The
 * unique index knows whether one is under way, whatever this statement's snapshot says.
 */
export const beginEpisodesSql = `
  INSERT INTO conversation_episodes (workspace_id, conversation_id, started_at, team_inbox_id, tags, broadcast_id)
  SELECT $workspaceId, before.id, g.at, before.assigned_team_inbox_id, c.tags,
    (SELECT m.broadcast_id FROM messages m WHERE m.workspace_id = $workspaceId AND m.id = before.last_message_id)
  FROM given g JOIN before ON before.id = g.conversation_id JOIN contacts c ON c.id = before.id
  WHERE NOT (g.standby OR g.is_rating OR g.is_reaction)
  ON CONFLICT (conversation_id) WHERE ended_at IS NULL DO NOTHING`;

/** SQL: notes the first answer of the episode under way, by the member `$memberId`; `answer` says when (`at`). */
export const answerEpisodeSql = (answer: string): string => `
  UPDATE conversation_episodes e
  SET first_response_at = greatest(e.started_at, answer.at), answered_by_id = $memberId, ${placedSql}
  FROM ${answer} answer, conversations v JOIN contacts c ON c.id = v.contact_id
  WHERE v.workspace_id = $workspaceId AND v.id = $conversationId AND e.conversation_id = v.id
    AND e.ended_at IS NULL AND e.first_response_at IS NULL`;

/** Notes an answer that was given elsewhere, in the surrounding transaction. */
export async function answerEpisodeElsewhere(ctx: Ctx, conversationId: number, at: Date): Promise<void> {
  await ctx.runtime.db.rows(answerEpisodeSql('(SELECT $at::timestamptz AS at)'), {
    workspaceId: ctx.workspaceId,
    conversationId,
    at,
    memberId: null,
  });
}

/**
 * Ends the episode under way where a conversation is done with, and lets the last one go on where that is taken back.
 * Runs in the transaction of the change, on the locked conversation.
 */
export async function moveEpisode(
  ctx: Ctx,
  { id, conv_status: before }: { readonly id: number; readonly conv_status: string },
  status: string,
): Promise<void> {
  const ends = endedStatuses.includes(status);
  if (ends === endedStatuses.includes(before)) return;
  const bind = { workspaceId: ctx.workspaceId, conversationId: id };
  if (ends)
    await ctx.runtime.db.rows(
      `UPDATE conversation_episodes e
       SET ended_at = greatest(e.started_at, now()), ended_as = $status, ended_by_id = $memberId, ${placedSql}
       FROM conversations v JOIN contacts c ON c.id = v.contact_id
       WHERE v.workspace_id = $workspaceId AND v.id = $conversationId AND e.conversation_id = v.id
         AND e.ended_at IS NULL`,
      { ...bind, status, memberId: ctx.actor.memberId },
    );
  else
    await ctx.runtime.db.rows(
      `UPDATE conversation_episodes
       SET ended_at = NULL, ended_as = '', ended_by_id = NULL, unsummed = true
       WHERE id = (SELECT id FROM conversation_episodes
         WHERE workspace_id = $workspaceId AND conversation_id = $conversationId AND ended_as <> 'merged'
         ORDER BY ended_at DESC, id DESC LIMIT 1)`,
      bind,
    );
}

/**
 * Gives the episodes of a conversation that goes to the one that stays, as it is after the merge: one of them is under
 * way at most.
 */
export async function mergeEpisodes(ctx: Ctx, kept: number, gone: number): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE conversation_episodes e
     SET conversation_id = v.id, unsummed = true,
       ended_at = CASE WHEN second.yes THEN greatest(e.started_at, now()) ELSE e.ended_at END,
       ended_as = CASE WHEN second.yes THEN 'merged' ELSE e.ended_as END
     FROM conversations v, conversation_episodes o, LATERAL (
       SELECT o.ended_at IS NULL AND (${isOneOfSql('v.conv_status', endedStatuses)} OR EXISTS (
         SELECT 1 FROM conversation_episodes k WHERE k.conversation_id = v.id AND k.ended_at IS NULL)) AS yes) second
     WHERE v.workspace_id = $workspaceId AND v.id = $kept AND o.conversation_id = $gone AND e.id = o.id`,
    { workspaceId: ctx.workspaceId, kept, gone },
  );
}
