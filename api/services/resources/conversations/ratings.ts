import { ratings, type Rating } from '../../../../models/enums';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';

/*
 * How satisfied customers are (contract 18.8): a question after an episode, and the answer, which is the id of one of
 * its buttons. Both are columns of the episode, so they are counted, merged, erased and removed with it.
 */

/** What the id of a button says: which episode was asked about, and the answer. */
export interface RatingId {
  readonly episodeId: number;
  readonly rating: Rating;
}

/** Returns the id of a button below a question. */
export const ratingId = ({ episodeId, rating }: RatingId): string => `msgdesk-rating:${episodeId}:${rating}`;

/** Reads the id of a button; null where it is none of ours. */
export function readRatingId(id: unknown): RatingId | null {
  const [, episode, word] = (typeof id === 'string' && /^msgdesk-rating:(\d{1,15}):([a-z]+)$/.exec(id)) || [];
  const rating = ratings.find((one) => one === word);
  return rating === undefined ? null : { episodeId: Number(episode), rating };
}

/**
 * Returns the episode of a locked conversation that its customer may be asked about: the last one, where it is resolved
 * and no question was asked in the conversation for a week.
 */
export async function episodeToAsk(ctx: Ctx, conversationId: number): Promise<number | null> {
  const row = await ctx.runtime.db.row<{ id: number }>(
    `SELECT e.id FROM (
       SELECT id, ended_as FROM conversation_episodes
       WHERE workspace_id = $workspaceId AND conversation_id = $conversationId
       ORDER BY ended_at DESC, id DESC LIMIT 1) e
     WHERE e.ended_as = 'resolved' AND NOT EXISTS (
       SELECT 1 FROM conversation_episodes a
       WHERE a.workspace_id = $workspaceId AND a.conversation_id = $conversationId
         AND a.asked_at > ${dueNowSql(ctx.runtime.clock)} - interval '7 days')`,
    { workspaceId: ctx.workspaceId, conversationId },
  );
  return row?.id ?? null;
}

/** Notes that the customer was asked about an episode, in the transaction of the question. */
export async function noteAsked(ctx: Ctx, episodeId: number): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE conversation_episodes SET asked_at = ${dueNowSql(ctx.runtime.clock)}
     WHERE workspace_id = $workspaceId AND id = $episodeId`,
    { workspaceId: ctx.workspaceId, episodeId },
  );
}

/**
 * Notes a customer's answer on the episode that they were asked about; of several the one that was given last counts.
 * Returns what they had answered before; undefined where this one does not count.
 */
export async function rateEpisode(
  ctx: Ctx,
  given: RatingId & { readonly conversationId: number; readonly at: Date },
): Promise<Rating | null | undefined> {
  const { conversationId, episodeId, rating, at } = given;
  const row = await ctx.runtime.db.row<{ before: Rating | null }>(
    `WITH before AS MATERIALIZED (
       SELECT id, rating FROM conversation_episodes
       WHERE workspace_id = $workspaceId AND id = $episodeId AND conversation_id = $conversationId
         AND asked_at IS NOT NULL AND (rated_at IS NULL OR rated_at <= $at)
       FOR UPDATE
     )
     UPDATE conversation_episodes e SET rating = $rating, rated_at = $at, unsummed = true
     FROM before WHERE e.id = before.id
     RETURNING before.rating AS before`,
    { workspaceId: ctx.workspaceId, conversationId, episodeId, rating, at },
  );
  return row?.before;
}
