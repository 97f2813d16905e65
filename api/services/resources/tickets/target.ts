import type { Ctx } from '../../../core/context';
import { invalid, invalidField, invalidPk } from '../../../core/http/errors';
import { of } from '../../../core/db/scoped';
import type { TicketPatch } from './schema';

/** A stage that a ticket is to be in, with what decides about clock and notification. */
export interface Stage {
  readonly id: number;
  readonly pipeline_id: number;
  readonly name: string;
  readonly pipeline_name: string;
  readonly is_terminal: boolean;
  readonly pauses_sla: boolean;
  readonly notify_template_pk: number | null;
  readonly notify_template_variables: Record<string, unknown>;
  readonly notify_template_media_id: string | null;
}

// Held until the transaction ends: it is neither deleted nor given other rules in between. SQL: a lock on one side of a
// join.
const select = (where: string): string =>
  `SELECT s.id, s.pipeline_id, s.name, p.name AS pipeline_name, s.is_terminal, s.pauses_sla,
     s.notify_template_pk, s.notify_template_variables, s.notify_template_media_id
   FROM ticket_stages s
   JOIN ticket_pipelines p ON p.id = s.pipeline_id
   WHERE s.workspace_id = $workspaceId AND ${where}
   LIMIT 1 FOR SHARE OF s`;

/** Where a request says that a ticket goes. */
type Wanted = Pick<TicketPatch, 'pipeline' | 'stage'>;

const wrongPipeline = 'This stage does not belong to the pipeline of the ticket.';

/**
 * Returns where a new ticket begins: the given stage, else the first one that is not terminal, of the given or default
 * pipeline. Throws 400.
 */
export async function initialStage(ctx: Ctx, wanted: Wanted): Promise<Stage> {
  const { db } = ctx.runtime;
  const pipeline = await of(ctx, db.models.TicketPipeline).findOne({
    attributes: ['id'],
    where: wanted.pipeline === undefined ? { is_default: true } : { id: wanted.pipeline },
    raw: true,
  });
  if (!pipeline)
    throw wanted.pipeline === undefined
      ? invalid({ pipeline: ['This field is required.'] })
      : invalidPk('pipeline', wanted.pipeline);

  if (wanted.stage !== undefined) {
    const stage = await findStage(ctx, wanted.stage);
    if (stage.pipeline_id !== pipeline.id) throw invalidField('stage', wrongPipeline);
    return stage;
  }
  const stage = await db.row<Stage>(select('s.pipeline_id = $pipelineId ORDER BY s.is_terminal, s.position'), {
    workspaceId: ctx.workspaceId,
    pipelineId: pipeline.id,
  });
  if (!stage) throw invalidPk('pipeline', pipeline.id);
  return stage;
}

/**
 * Returns the stage that a patch asks for, or null where it asks for none; the caller holds it against the ticket's
 * pipeline by `refuseOtherPipeline`. A pipeline without a stage means its first one (contract 8). Throws 400.
 */
export async function wantedStage(ctx: Ctx, patch: Wanted): Promise<Stage | null> {
  if (patch.stage !== undefined) {
    const stage = await findStage(ctx, patch.stage);
    if (patch.pipeline === undefined || patch.pipeline === stage.pipeline_id) return stage;
    const known = await of(ctx, ctx.runtime.db.models.TicketPipeline).count({ where: { id: patch.pipeline } });
    throw known > 0 ? invalidField('stage', wrongPipeline) : invalidPk('pipeline', patch.pipeline);
  }
  if (patch.pipeline === undefined) return null;
  const first = await ctx.runtime.db.row<Stage>(select('s.pipeline_id = $pipelineId ORDER BY s.position'), {
    workspaceId: ctx.workspaceId,
    pipelineId: patch.pipeline,
  });
  if (!first) throw invalidPk('pipeline', patch.pipeline);
  return first;
}

/** Refuses a stage of another pipeline where the patch names no pipeline. Throws 400. */
export function refuseOtherPipeline(patch: Wanted, stage: Stage, current: { readonly pipeline_id: number }): void {
  if (patch.pipeline === undefined && stage.pipeline_id !== current.pipeline_id)
    throw invalidField('stage', wrongPipeline);
}

async function findStage(ctx: Ctx, id: number): Promise<Stage> {
  const stage = await ctx.runtime.db.row<Stage>(select('s.id = $id'), { workspaceId: ctx.workspaceId, id });
  if (!stage) throw invalidPk('stage', id);
  return stage;
}
