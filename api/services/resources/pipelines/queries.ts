import type { Ctx } from '../../../core/context';
import { notFound } from '../../../core/http/errors';
import type { PipelineView, StageView } from './serializer';

/** SQL: a stage `s` with its template `n` and the number of its tickets, as a `StageView`. */
const stageJson = `jsonb_build_object(
    'id', s.id, 'pipeline_id', s.pipeline_id, 'name', s.name, 'ticket_count', coalesce(held.count, 0)::text,
    'position', s.position, 'color', s.color, 'is_terminal', s.is_terminal, 'pauses_sla', s.pauses_sla,
    'notify_template_id', n.template_id, 'notify_template_name', n.name,
    'notify_template_variables', s.notify_template_variables)`;

/** Lists all pipelines in order, each with its stages in order: one statement whatever their number. */
export async function listPipelines(ctx: Ctx, only?: number): Promise<PipelineView[]> {
  return ctx.runtime.db.rows<PipelineView>(
    `WITH held AS (
       SELECT stage_id, count(*) FROM tickets
       WHERE workspace_id = $workspaceId ${only === undefined ? '' : 'AND pipeline_id = $only'}
       GROUP BY stage_id
     )
     SELECT p.id, p.name, p.description, p.position, p.is_default, p.created_at,
       (SELECT coalesce(jsonb_agg(${stageJson} ORDER BY s.position), '[]')
        FROM ticket_stages s
        LEFT JOIN templates n ON n.id = s.notify_template_pk
        LEFT JOIN held ON held.stage_id = s.id
        WHERE s.workspace_id = $workspaceId AND s.pipeline_id = p.id) AS stages
     FROM ticket_pipelines p
     WHERE p.workspace_id = $workspaceId ${only === undefined ? '' : 'AND p.id = $only'}
     ORDER BY p.position`,
    { workspaceId: ctx.workspaceId, ...(only === undefined ? {} : { only }) },
  );
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
