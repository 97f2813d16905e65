import type { ConversationRow } from '../../../../models';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { conversationPolicy } from '../sla/policy';
import { armSla } from '../sla/timers';
import { endedStatuses } from '../../../core/conversationStates';

/** SQL: the next deadline of a conversation `v`; null once it is answered and resolved, or was missed. */
const dueSql = `CASE WHEN v.sla_breached OR v.sla_stopped_at IS NOT NULL THEN NULL
  ELSE least(
    CASE WHEN v.sla_responded_at IS NULL THEN v.sla_first_response_deadline END,
    v.sla_resolution_deadline) END`;
const timedSql = '(v.sla_first_response_deadline IS NOT NULL OR v.sla_resolution_deadline IS NOT NULL)';

/**
 * SQL: whether a customer's message in conversation `v` starts a clock. There is nothing to start while one runs, and
 * none without a policy, unless an older one has to be taken off.
 */
export const slaBeginsSql = `((v.sla_started_at IS NULL OR v.sla_stopped_at IS NOT NULL)
  AND (v.sla_policy_id IS NOT NULL OR EXISTS (
    SELECT 1
    FROM sla_policies sp
    WHERE sp.workspace_id = v.workspace_id AND sp.is_default AND 'conversations' = ANY(sp.applies_to))))`;

interface Timed {
  id: number;
  due: Date | null;
  version: number;
}

/**
 * Starts the deadlines with the first messages of episodes (`slaBeginsSql`), each conversation there once. Runs in the
 * transaction of the messages, on the locked conversations. SQL here and below: the next deadline is told by the row as
 * it is then.
 */
export async function startConversationSlas(
  ctx: Ctx,
  begun: readonly { readonly conversationId: number; readonly at: Date }[],
): Promise<void> {
  if (begun.length === 0) return;
  const deadlinesFrom = await conversationPolicy(ctx);
  const deadlines = begun.map(({ at }) => deadlinesFrom(at));
  const rows = await ctx.runtime.db.rows<Timed>(
    `UPDATE conversations v
     SET sla_policy_id = b.policy_id, sla_first_response_deadline = b.first_response,
       sla_resolution_deadline = b.resolution, sla_breached = false, sla_started_at = b.at,
       sla_responded_at = NULL, sla_stopped_at = NULL, sla_version = v.sla_version + 1
     FROM unnest($conversationIds::bigint[], $times::timestamptz[], $policyIds::bigint[],
       $firstResponses::timestamptz[], $resolutions::timestamptz[])
       AS b(id, at, policy_id, first_response, resolution)
     WHERE ${ofWorkspace('v.workspace_id')} AND v.id = ANY($conversationIds::bigint[]) AND v.id = b.id
       AND (b.policy_id IS NOT NULL OR v.sla_policy_id IS NOT NULL)
     RETURNING v.id, ${dueSql} AS due, v.sla_version AS version`,
    {
      workspaceId: ctx.workspaceId,
      conversationIds: begun.map(({ conversationId }) => conversationId),
      times: begun.map(({ at }) => at),
      policyIds: deadlines.map(({ id }) => id),
      firstResponses: deadlines.map(({ firstResponse }) => firstResponse),
      resolutions: deadlines.map(({ resolution }) => resolution),
    },
  );
  const timed = rows.filter((row) => row.due !== null);
  if (timed.length > 0) await armSla(ctx, 'conversation', timed);
}

/** Returns whether a conversation has anything to miss. */
export function hasSla(
  conversation: Pick<ConversationRow, 'sla_policy_id' | 'sla_first_response_deadline' | 'sla_resolution_deadline'>,
): boolean {
  return (
    conversation.sla_policy_id !== null ||
    conversation.sla_first_response_deadline !== null ||
    conversation.sla_resolution_deadline !== null
  );
}

/** Returns until when an answer is promised; null: it was given since the clock began, or the clock has stopped. */
export async function answerDeadline(ctx: Ctx, conversationId: number): Promise<Date | null> {
  const row = await of(ctx, ctx.runtime.db.models.Conversation).findOne({
    attributes: ['sla_first_response_deadline'],
    where: { id: conversationId, sla_responded_at: null, sla_stopped_at: null },
    raw: true,
  });
  return row?.sla_first_response_deadline ?? null;
}

/**
 * Notes that the team answered, also after the end, which may be taken back: what is left to miss is the resolution.
 * Runs in the transaction of the message.
 */
export async function answerConversationSla(ctx: Ctx, conversationId: number): Promise<void> {
  const row = await ctx.runtime.db.row<Timed & { timed: boolean }>(
    `UPDATE conversations v
     SET sla_responded_at = now(), sla_version = v.sla_version + 1
     WHERE v.workspace_id = $workspaceId AND v.id = $conversationId
       AND v.sla_started_at IS NOT NULL AND v.sla_responded_at IS NULL
     RETURNING v.id, ${dueSql} AS due, v.sla_version AS version, ${timedSql} AS timed`,
    { workspaceId: ctx.workspaceId, conversationId },
  );
  if (row?.timed) await armSla(ctx, 'conversation', [row]);
}

/** Gives a conversation whose clock came from another one its timer. Runs in the transaction of the merge. */
export async function restartConversationSla(ctx: Ctx, conversationId: number): Promise<void> {
  const row = await ctx.runtime.db.row<Timed>(
    `UPDATE conversations v
     SET sla_version = v.sla_version + 1
     WHERE v.workspace_id = $workspaceId AND v.id = $conversationId
       AND v.sla_started_at IS NOT NULL AND v.sla_stopped_at IS NULL
     RETURNING v.id, ${dueSql} AS due, v.sla_version AS version`,
    { workspaceId: ctx.workspaceId, conversationId },
  );
  if (row && row.due !== null) await armSla(ctx, 'conversation', [row]);
}

/**
 * Stops the clock where the new status ends the conversation, until the customer writes again; where the end is taken
 * back it goes on, and the time between is not held against the team, as with tickets (contract 8.4).
 */
export async function moveConversationSla(
  ctx: Ctx,
  { id, conv_status: before }: { readonly id: number; readonly conv_status: string },
  status: string,
): Promise<void> {
  const ends = endedStatuses.includes(status);
  if (!ends && !endedStatuses.includes(before)) return;

  // `greatest` passes over the null of a clock that did not stand.
  const stood = "greatest(moment.at - v.sla_stopped_at, interval '0')";
  const row = await ctx.runtime.db.row<Timed & { timed: boolean }>(
    `UPDATE conversations v
     SET sla_first_response_deadline = v.sla_first_response_deadline + ${stood},
       sla_resolution_deadline = v.sla_resolution_deadline + ${stood},
       sla_stopped_at = CASE WHEN $ends THEN moment.at END, sla_version = v.sla_version + 1
     FROM (SELECT ${dueNowSql(ctx.runtime.clock)} AS at) moment
     WHERE v.workspace_id = $workspaceId AND v.id = $conversationId
       AND v.sla_started_at IS NOT NULL AND (v.sla_stopped_at IS NULL) = $ends
     RETURNING v.id, ${dueSql} AS due, v.sla_version AS version, ${timedSql} AS timed`,
    { workspaceId: ctx.workspaceId, conversationId: id, ends },
  );
  if (row?.timed) await armSla(ctx, 'conversation', [row]);
}
