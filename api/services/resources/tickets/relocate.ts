import type { Ctx } from '../../../core/context';
import { recordSql } from '../../../core/queue/events';
import { armTickets, clockSets, timerColumns, type ClockBind, type TicketTimer } from './clock';

/** Tickets per statement: well within the statement timeout. */
const batch = 5_000;

/** A stage that tickets enter. */
export interface StageTarget {
  readonly id: number;
  readonly pipeline_id: number;
  readonly is_terminal: boolean;
  readonly pauses_sla: boolean;
}

/** SQL: assignments to a ticket `t` that enters the stage of `stageBind`. */
const entrySets = `pipeline_id = $pipelineId, stage_id = $stageId, ${clockSets}, updated_at = now()`;

function stageBind(ctx: Ctx, to: StageTarget): ClockBind & { stageId: number; pipelineId: number } {
  return {
    stageId: to.id,
    pipelineId: to.pipeline_id,
    terminal: to.is_terminal,
    pauses: to.pauses_sla,
    now: ctx.runtime.clock.now(),
  };
}

/** Puts a locked ticket into a stage with what that does to its clock, in the surrounding transaction. */
export async function enterStage(ctx: Ctx, ticketId: number, to: StageTarget): Promise<void> {
  const rows = await ctx.runtime.db.rows<TicketTimer>(
    `UPDATE tickets t SET ${entrySets}
     WHERE t.workspace_id = $workspaceId AND t.id = $ticketId
     RETURNING ${timerColumns}`,
    { ...stageBind(ctx, to), workspaceId: ctx.workspaceId, ticketId },
  );
  await armTickets(
    ctx,
    rows.filter((row) => row.timed),
  );
}

/**
 * Moves every ticket of a stage or pipeline that is about to be deleted, in the surrounding transaction; the events are
 * written, and no contact is notified (contract 8).
 */
export async function moveAll(
  ctx: Ctx,
  from: { readonly stageId: number } | { readonly pipelineId: number },
  to: { readonly open: StageTarget; readonly closed: StageTarget },
): Promise<void> {
  const condition = 'stageId' in from ? 'stage_id = $from' : 'pipeline_id = $from';
  const value = 'stageId' in from ? from.stageId : from.pipelineId;
  // Closed ones first: what leaves is not met again by the second statement.
  await inBatches(ctx, `${condition} AND closed_at IS NOT NULL`, value, to.closed);
  await inBatches(ctx, `${condition} AND closed_at IS NULL`, value, to.open);
}

/** Brings the clocks of a stage's tickets in line with the stage's changed rules, in the surrounding transaction. */
export async function refreshStageClocks(ctx: Ctx, stage: StageTarget): Promise<void> {
  await inBatches(ctx, 'stage_id = $from', stage.id, stage);
}

interface Moved {
  readonly count: number;
  readonly last: number | null;
  readonly armed: readonly { readonly id: number; readonly due: string | null; readonly version: number }[];
}

/** Moves tickets with their events, thousands in a statement. */
async function inBatches(ctx: Ctx, condition: string, from: number, to: StageTarget): Promise<void> {
  for (let after = 0; ;) {
    const [result] = await ctx.runtime.db.rows<Moved>(
      `WITH old AS (
         SELECT id, stage_id, pipeline_id FROM tickets
         WHERE workspace_id = $workspaceId AND ${condition} AND id > $after
         ORDER BY id LIMIT ${batch}
         FOR UPDATE
       ), moved AS (
         UPDATE tickets t SET ${entrySets}
         FROM old WHERE t.workspace_id = $workspaceId AND t.id = old.id
         RETURNING old.stage_id AS old_stage, old.pipeline_id AS old_pipeline, ${timerColumns}
       ), recorded AS (${recordSql('moved WHERE old_stage <> $stageId', {
         workspaceId: '$workspaceId',
         subjectType: 'ticket',
         subjectId: 'id',
         kind: 'stage_changed',
         actor: ['$actorType', '$memberId::bigint', '$apiKeyId::bigint'],
         changes: `jsonb_build_object('stage', jsonb_build_object('from', old_stage, 'to', $stageId::bigint))
             || CASE WHEN old_pipeline = $pipelineId THEN '{}' ELSE
                  jsonb_build_object('pipeline', jsonb_build_object('from', old_pipeline, 'to', $pipelineId::bigint))
                END`,
         data: `'{"notified": false}'`,
         requestId: '$requestId',
       })})
       SELECT count(*)::int AS count, max(id) AS last,
         coalesce(
           jsonb_agg(jsonb_build_object('id', id, 'due', due, 'version', version)) FILTER (WHERE timed), '[]') AS armed
       FROM moved`,
      {
        ...stageBind(ctx, to),
        workspaceId: ctx.workspaceId,
        from,
        after,
        actorType: ctx.actor.type,
        memberId: ctx.actor.memberId,
        apiKeyId: ctx.actor.apiKeyId,
        requestId: ctx.requestId,
      },
    );
    const armed = result?.armed ?? [];
    await armTickets(
      ctx,
      armed.map((row) => ({ ...row, due: row.due === null ? null : new Date(row.due) })),
    );
    if (!result || result.count < batch) return;
    after = result.last ?? after;
  }
}
