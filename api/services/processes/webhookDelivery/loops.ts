import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { AppError } from '../../../core/http/errors';
import { of } from '../../../core/db/scoped';
import type { MacroTarget } from '../../resources/macros/runs';
import type { DueDelivery } from './outcomes';

/*
 * An answer that acts causes events, and a receiver answers events: that would go on for ever. What actions cause is
 * delivered like everything else, but its answers do not act. Loops that go a longer way round (a stage notification, a
 * customer's own machine) end at a number of runs.
 */

/** Runs of answers' actions on one conversation or ticket within an hour. */
export const maxRunsPerHour = 100;

const prefix = 'webhook-answer/';

type CausingEvent = Pick<DueDelivery, 'uid' | 'data'>;

/** Returns the request id of what the answer to an event does; everything that follows directly carries it. */
export function answerRequestId({ uid }: Pick<CausingEvent, 'uid'>): string {
  return `${prefix}${uid}`;
}

/** Throws the refusal of actions that answer what actions caused, or that come too often. */
export async function requireNoLoop(ctx: Ctx, event: CausingEvent, target: MacroTarget): Promise<void> {
  if ((await causeOf(ctx, event)).startsWith(prefix))
    throw new AppError('conflict', 'This event was caused by the actions of an answer: its own answer does not act.');
  // SQL: the database's clock, and the index of these runs.
  const runs = await ctx.runtime.db.rows(
    `SELECT id FROM macro_runs
     WHERE macro_id IS NULL AND coalesce(conversation_id, ticket_id) = $subjectId::bigint
       AND created_at > now() - interval '1 hour' AND request_id LIKE '${prefix}%'
       AND (conversation_id IS NULL) = $onTicket::boolean AND ${ofWorkspace('workspace_id')}
     LIMIT ${maxRunsPerHour}`,
    {
      workspaceId: ctx.workspaceId,
      subjectId: target.conversationId ?? target.ticketId,
      onTicket: target.conversationId === null,
    },
  );
  if (runs.length >= maxRunsPerHour)
    throw new AppError(
      'conflict',
      `Answers act on one conversation or ticket at most ${maxRunsPerHour} times an hour: is there a loop?`,
    );
}

/** Returns the request id of what caused an event; empty where it is not known. */
async function causeOf(ctx: Ctx, { data }: CausingEvent): Promise<string> {
  const { models } = ctx.runtime.db;
  const activityId = Number(data['activity_id'] ?? 0);
  if (activityId > 0) {
    const activity = await of(ctx, models.ActivityEvent).findOne({
      attributes: ['request_id'],
      where: { id: activityId },
      raw: true,
    });
    return activity?.request_id ?? '';
  }

  const messageId = Number(data['message_id'] ?? 0);
  if (messageId === 0) return '';
  const message = await of(ctx, models.Message).findOne({
    attributes: ['origin', 'dedupe_key'],
    where: { id: messageId },
    raw: true,
  });
  const [, runId] = /^macro-run\/(\d+)\//.exec(message?.dedupe_key ?? '') ?? [];
  if (message?.origin !== 'macro' || runId === undefined) return '';
  const run = await of(ctx, models.MacroRun).findOne({
    attributes: ['request_id'],
    where: { id: Number(runId) },
    raw: true,
  });
  return run?.request_id ?? '';
}
