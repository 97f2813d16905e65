import type { Ctx } from '../../../core/context';
import { notFound } from '../../../core/http/errors';
import { of } from '../../../core/db/scoped';
import type { PipelineView, StageView } from './serializer';

/** Lists all pipelines in order, each with its stages in order: two statements whatever their number. */
export async function listPipelines(ctx: Ctx, only?: number): Promise<PipelineView[]> {
  const { TicketPipeline, Ticket } = ctx.runtime.db.models;
  const pipelines = await of(ctx, TicketPipeline).findAll({
    where: only === undefined ? {} : { id: only },
    include: [
      { association: 'stages', include: [{ association: 'notify_template', attributes: ['template_id', 'name'] }] },
    ],
    order: ['position', ['stages', 'position', 'ASC']],
  });
  const counts = await of(ctx, Ticket).count({
    where: only === undefined ? {} : { pipeline_id: only },
    group: ['stage_id'],
  });
  const held = new Map(counts.map(({ stage_id: stageId, count }) => [stageId, count]));

  return pipelines.map(({ id, name, description, position, is_default, created_at, stages = [] }) => ({
    id,
    name,
    description,
    position,
    is_default,
    created_at,
    stages: stages.map((stage) => ({
      id: stage.id,
      pipeline_id: stage.pipeline_id,
      name: stage.name,
      ticket_count: String(held.get(stage.id) ?? 0),
      position: stage.position,
      color: stage.color,
      is_terminal: stage.is_terminal,
      pauses_sla: stage.pauses_sla,
      notify_template_id: stage.notify_template?.template_id ?? null,
      notify_template_name: stage.notify_template?.name ?? null,
      notify_template_variables: stage.notify_template_variables,
      notify_template_media_id: stage.notify_template_media_id,
    })),
  }));
}

/** Reads one pipeline. Throws 404. */
export async function findPipeline(ctx: Ctx, id: number): Promise<PipelineView> {
  const [pipeline] = await listPipelines(ctx, id);
  if (!pipeline) throw notFound();
  return pipeline;
}

/** Reads one stage of a pipeline. Throws 404. */
export async function findStage(ctx: Ctx, pipelineId: number, stageId: number): Promise<StageView> {
  const stage = (await findPipeline(ctx, pipelineId)).stages.find((candidate) => candidate.id === stageId);
  if (!stage) throw notFound();
  return stage;
}
