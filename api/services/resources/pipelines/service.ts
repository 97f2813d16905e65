import type { Ctx } from '../../../core/context';
import { conflict, invalidField, invalidPk, notFound } from '../../../core/errors';
import { recordEvent } from '../../../core/events';
import { moveAll } from '../tickets/relocate';
import { readNotifications } from './notification';
import { placed } from './positions';
import { defaultColor } from './schema';
import type { PipelineView, StageView } from './serializer';
import type { StageInput } from './stages';

/** Columns of a stage `s` with its template `n`, for `stageFrom`. */
const stageJson = `jsonb_build_object('id', s.id, 'pipeline_id', s.pipeline_id, 'name', s.name, 'ticket_count', coalesce(held.count, 0)::text, 'position', s.position, 'color', s.color,
  'is_terminal', s.is_terminal, 'pauses_sla', s.pauses_sla, 'notify_template_id', n.template_id, 'notify_template_name', n.name, 'notify_template_variables', s.notify_template_variables)`;

/** All pipelines in order, each with its stages in order: one statement whatever their number. */
export async function listPipelines(ctx: Ctx, only?: number): Promise<PipelineView[]> {
  return ctx.runtime.db.rows<PipelineView>(
    `WITH held AS (
       SELECT stage_id, count(*) FROM tickets WHERE workspace_id = $workspaceId ${only === undefined ? '' : 'AND pipeline_id = $only'} GROUP BY stage_id
     )
     SELECT p.id, p.name, p.description, p.position, p.is_default, p.created_at,
       (SELECT coalesce(jsonb_agg(${stageJson} ORDER BY s.position), '[]') FROM ticket_stages s
          LEFT JOIN templates n ON n.id = s.notify_template_pk LEFT JOIN held ON held.stage_id = s.id WHERE s.workspace_id = $workspaceId AND s.pipeline_id = p.id) AS stages
     FROM ticket_pipelines p WHERE p.workspace_id = $workspaceId ${only === undefined ? '' : 'AND p.id = $only'} ORDER BY p.position`,
    { workspaceId: ctx.workspaceId, ...(only === undefined ? {} : { only }) },
  );
}

/** One pipeline. Throws 404. */
export async function findPipeline(ctx: Ctx, id: number): Promise<PipelineView> {
  const [pipeline] = await listPipelines(ctx, id);
  if (!pipeline) throw notFound();
  return pipeline;
}

/** One stage of a pipeline. Throws 404. */
export async function findStage(ctx: Ctx, pipelineId: number, stageId: number): Promise<StageView> {
  const stage = (await findPipeline(ctx, pipelineId)).stages.find((candidate) => candidate.id === stageId);
  if (!stage) throw notFound();
  return stage;
}

export interface PipelineInput {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly position?: number | undefined;
  readonly is_default?: boolean | undefined;
}

export type FirstStage = StageInput & { readonly name: string };

/** Creates a pipeline with its first stages: at least one, because tickets need a place. */
export async function createPipeline(
  ctx: Ctx,
  values: PipelineInput & { readonly name: string; readonly stages?: readonly FirstStage[] | undefined },
): Promise<PipelineView> {
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    await lockOrder(ctx);
    const stages = await firstStages(ctx, values.stages ?? [{ name: 'New' }]);
    if (values.is_default)
      await db.rows(
        'UPDATE ticket_pipelines SET is_default = false, updated_at = now() WHERE workspace_id = $workspaceId AND is_default',
        { workspaceId: ctx.workspaceId },
      );
    const row = await db.row<{ id: number }>(
      `WITH made AS (
         INSERT INTO ticket_pipelines (workspace_id, name, description, is_default, position)
         SELECT $workspaceId, $name, $description, $isDefault, count(*) FROM ticket_pipelines WHERE workspace_id = $workspaceId RETURNING id
       ), stages AS (
         INSERT INTO ticket_stages (workspace_id, pipeline_id, name, position, color, is_terminal, pauses_sla, notify_template_pk, notify_template_variables)
         SELECT $workspaceId, made.id, s.name, s.position, s.color, s.is_terminal, s.pauses_sla, s.template_pk, s.variables
         FROM made, jsonb_to_recordset($stages::jsonb) AS s(name text, position integer, color text, is_terminal boolean, pauses_sla boolean, template_pk bigint, variables jsonb)
       )
       SELECT id FROM made`,
      {
        workspaceId: ctx.workspaceId,
        name: values.name,
        description: values.description ?? '',
        isDefault: values.is_default ?? false,
        stages: JSON.stringify(stages),
      },
    );
    if (!row) throw new Error('the pipeline was not stored');
    if (values.position !== undefined) await placePipeline(ctx, row.id, values.position);
    await recordEvent(ctx, {
      subjectType: 'workspace',
      subjectId: ctx.workspaceId,
      kind: 'pipeline_created',
      data: { pipeline_id: row.id },
    });
    return findPipeline(ctx, row.id);
  });
}

/** The rows of a new pipeline's stages; a stage with a position takes that place among those before it, as when it is added later. */
async function firstStages(ctx: Ctx, stages: readonly FirstStage[]): Promise<Record<string, unknown>[]> {
  const notifications = await readNotifications(ctx, stages);
  let order: number[] = [];
  for (const [index, { position }] of stages.entries()) order = placed(order, index, position ?? order.length);
  return stages.map((stage, index) => ({
    name: stage.name,
    position: order.indexOf(index),
    color: stage.color ?? defaultColor,
    is_terminal: stage.is_terminal ?? false,
    pauses_sla: stage.pauses_sla ?? false,
    template_pk: notifications[index]?.templatePk ?? null,
    variables: notifications[index]?.variables ?? {},
  }));
}

/** Changes what is given. The default is handed over by making another pipeline the default. Throws 400 and 404. */
export async function updatePipeline(ctx: Ctx, id: number, values: PipelineInput): Promise<PipelineView> {
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    await lockOrder(ctx);
    const before = await findPipeline(ctx, id);
    if (values.is_default === false && before.is_default)
      throw invalidField('is_default', 'There must be a default pipeline. Make another pipeline the default instead.');
    if (values.is_default && !before.is_default)
      await db.rows(
        'UPDATE ticket_pipelines SET is_default = false, updated_at = now() WHERE workspace_id = $workspaceId AND is_default',
        { workspaceId: ctx.workspaceId },
      );
    await db.rows(
      `UPDATE ticket_pipelines SET name = coalesce($name, name), description = coalesce($description, description), is_default = coalesce($isDefault, is_default), updated_at = now()
       WHERE workspace_id = $workspaceId AND id = $id`,
      {
        workspaceId: ctx.workspaceId,
        id,
        name: values.name ?? null,
        description: values.description ?? null,
        isDefault: values.is_default ?? null,
      },
    );
    if (values.position !== undefined) await placePipeline(ctx, id, values.position);
    await recordEvent(ctx, {
      subjectType: 'workspace',
      subjectId: ctx.workspaceId,
      kind: 'pipeline_updated',
      data: { pipeline_id: id },
    });
    return findPipeline(ctx, id);
  });
}

/** Removes a pipeline: 409 for the default one, and while it holds tickets unless they are moved (contract 8). */
export async function deletePipeline(ctx: Ctx, id: number, moveTo: number | undefined): Promise<void> {
  const { db } = ctx.runtime;
  await db.transaction(async () => {
    await lockOrder(ctx);
    const bind = { workspaceId: ctx.workspaceId, id };
    const row = await db.row<{ is_default: boolean }>(
      'SELECT is_default FROM ticket_pipelines WHERE workspace_id = $workspaceId AND id = $id FOR NO KEY UPDATE',
      bind,
    );
    if (!row) throw notFound();
    if (row.is_default)
      throw conflict('The default pipeline cannot be deleted. Make another pipeline the default first.');
    // Whoever puts a ticket into one of its stages meanwhile waits for this, and then finds it gone.
    await db.rows(
      'SELECT id FROM ticket_stages WHERE workspace_id = $workspaceId AND pipeline_id = $id ORDER BY id FOR UPDATE',
      bind,
    );
    if (moveTo !== undefined) {
      const stages = moveTo === id ? [] : await targetStages(ctx, moveTo);
      const first = stages[0];
      if (!first) throw invalidPk('move_to', moveTo);
      await moveAll(
        ctx,
        { pipelineId: id },
        { open: first, closed: stages.find((stage) => stage.is_terminal) ?? first },
      );
    }
    const held = await db.row(
      'SELECT 1 AS ok FROM tickets WHERE workspace_id = $workspaceId AND pipeline_id = $id LIMIT 1',
      bind,
    );
    if (held) throw conflict('This pipeline holds tickets. Say where they go with ?move_to=<pipeline id>.');
    await db.rows('DELETE FROM ticket_pipelines WHERE workspace_id = $workspaceId AND id = $id', bind);
    await writeOrder(ctx, await pipelineIds(ctx));
    await recordEvent(ctx, {
      subjectType: 'workspace',
      subjectId: ctx.workspaceId,
      kind: 'pipeline_deleted',
      data: { pipeline_id: id, ...(moveTo === undefined ? {} : { move_to: moveTo }) },
    });
  });
}

async function targetStages(
  ctx: Ctx,
  pipelineId: number,
): Promise<{ id: number; pipeline_id: number; is_terminal: boolean; pauses_sla: boolean }[]> {
  return ctx.runtime.db.rows(
    'SELECT id, pipeline_id, is_terminal, pauses_sla FROM ticket_stages WHERE workspace_id = $workspaceId AND pipeline_id = $pipelineId ORDER BY position FOR KEY SHARE',
    {
      workspaceId: ctx.workspaceId,
      pipelineId,
    },
  );
}

/** One change of a workspace's pipelines at a time; tickets are not kept waiting by it. */
async function lockOrder(ctx: Ctx): Promise<void> {
  await ctx.runtime.db.rows('SELECT id FROM workspaces WHERE id = $workspaceId FOR NO KEY UPDATE', {
    workspaceId: ctx.workspaceId,
  });
}

async function placePipeline(ctx: Ctx, id: number, place: number): Promise<void> {
  await writeOrder(ctx, placed(await pipelineIds(ctx), id, place));
}

async function pipelineIds(ctx: Ctx): Promise<number[]> {
  const rows = await ctx.runtime.db.rows<{ id: number }>(
    'SELECT id FROM ticket_pipelines WHERE workspace_id = $workspaceId ORDER BY position, id',
    { workspaceId: ctx.workspaceId },
  );
  return rows.map((row) => row.id);
}

async function writeOrder(ctx: Ctx, ids: readonly number[]): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE ticket_pipelines p SET position = o.place - 1 FROM unnest($ids::bigint[]) WITH ORDINALITY AS o(id, place)
     WHERE p.workspace_id = $workspaceId AND p.id = o.id AND p.position <> o.place - 1`,
    { workspaceId: ctx.workspaceId, ids },
  );
}
