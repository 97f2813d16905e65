import type { Ctx } from '../../../core/context';
import { conflict, invalidPk, notFound } from '../../../core/errors';
import { recordEvent } from '../../../core/events';
import type { TemplateVariables } from '../templates/variables';
import { moveAll, refreshStageClocks } from '../tickets/relocate';
import { readNotification } from './notification';
import { placed } from './positions';
import { defaultColor } from './schema';
import { findStage } from './service';
import type { StageView } from './serializer';

export interface StageInput {
  readonly name?: string | undefined;
  readonly position?: number | undefined;
  readonly color?: string | undefined;
  readonly is_terminal?: boolean | undefined;
  readonly pauses_sla?: boolean | undefined;
  readonly notify_template_id?: string | null | undefined;
  readonly notify_template_variables?: TemplateVariables | null | undefined;
}

/** Adds a stage, at the end unless a position is given. Throws 400 and 404. */
export async function createStage(
  ctx: Ctx,
  pipelineId: number,
  values: StageInput & { readonly name: string },
): Promise<StageView> {
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    await lockPipeline(ctx, pipelineId);
    const notify = await readNotification(ctx, values);
    const row = await db.row<{ id: number }>(
      `INSERT INTO ticket_stages (workspace_id, pipeline_id, name, position, color, is_terminal, pauses_sla, notify_template_pk, notify_template_variables)
       SELECT $workspaceId, $pipelineId, $name, count(*), $color, $isTerminal, $pausesSla, $templatePk, $variables::jsonb
       FROM ticket_stages WHERE workspace_id = $workspaceId AND pipeline_id = $pipelineId RETURNING id`,
      {
        workspaceId: ctx.workspaceId,
        pipelineId,
        name: values.name,
        color: values.color ?? defaultColor,
        isTerminal: values.is_terminal ?? false,
        pausesSla: values.pauses_sla ?? false,
        templatePk: notify.templatePk ?? null,
        variables: JSON.stringify(notify.variables ?? {}),
      },
    );
    if (!row) throw new Error('the stage was not stored');
    if (values.position !== undefined) await placeStage(ctx, pipelineId, row.id, values.position);
    await announce(ctx, 'stage_created', pipelineId, row.id);
    return findStage(ctx, pipelineId, row.id);
  });
}

/**
 * Changes what is given. A new `is_terminal` or `pauses_sla` applies to the tickets that are in the stage, too.
 * Throws 400 and 404.
 */
export async function updateStage(
  ctx: Ctx,
  pipelineId: number,
  stageId: number,
  values: StageInput,
): Promise<StageView> {
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    await lockPipeline(ctx, pipelineId);
    const bind = { workspaceId: ctx.workspaceId, pipelineId, stageId };
    // Tickets that enter the stage meanwhile wait, so that none keeps the clock of the stage as it was.
    const before = await db.row<{ is_terminal: boolean; pauses_sla: boolean; template_id: string | null }>(
      `SELECT s.is_terminal, s.pauses_sla, t.template_id FROM ticket_stages s LEFT JOIN templates t ON t.id = s.notify_template_pk
       WHERE s.workspace_id = $workspaceId AND s.pipeline_id = $pipelineId AND s.id = $stageId FOR UPDATE OF s`,
      bind,
    );
    if (!before) throw notFound();
    const notify = await readNotification(ctx, values, before.template_id);
    await db.rows(
      `UPDATE ticket_stages SET name = coalesce($name, name), color = coalesce($color, color), is_terminal = coalesce($isTerminal, is_terminal), pauses_sla = coalesce($pausesSla, pauses_sla),
         notify_template_pk = CASE WHEN $templateGiven THEN $templatePk::bigint ELSE notify_template_pk END,
         notify_template_variables = CASE WHEN $variablesGiven THEN $variables::jsonb ELSE notify_template_variables END, updated_at = now()
       WHERE workspace_id = $workspaceId AND pipeline_id = $pipelineId AND id = $stageId`,
      {
        ...bind,
        name: values.name ?? null,
        color: values.color ?? null,
        isTerminal: values.is_terminal ?? null,
        pausesSla: values.pauses_sla ?? null,
        templateGiven: notify.templatePk !== undefined,
        templatePk: notify.templatePk ?? null,
        variablesGiven: notify.variables !== undefined,
        variables: JSON.stringify(notify.variables ?? {}),
      },
    );
    if (values.position !== undefined) await placeStage(ctx, pipelineId, stageId, values.position);
    const after = {
      id: stageId,
      pipeline_id: pipelineId,
      is_terminal: values.is_terminal ?? before.is_terminal,
      pauses_sla: values.pauses_sla ?? before.pauses_sla,
    };
    if (after.is_terminal !== before.is_terminal || after.pauses_sla !== before.pauses_sla)
      await refreshStageClocks(ctx, after);
    await announce(ctx, 'stage_updated', pipelineId, stageId);
    return findStage(ctx, pipelineId, stageId);
  });
}

/** Removes a stage: 409 for the last one of a pipeline, and while it holds tickets unless they are moved to another of its stages. */
export async function deleteStage(
  ctx: Ctx,
  pipelineId: number,
  stageId: number,
  moveTo: number | undefined,
): Promise<void> {
  const { db } = ctx.runtime;
  await db.transaction(async () => {
    await lockPipeline(ctx, pipelineId);
    const bind = { workspaceId: ctx.workspaceId, pipelineId };
    const stages = await db.rows<{ id: number; pipeline_id: number; is_terminal: boolean; pauses_sla: boolean }>(
      'SELECT id, pipeline_id, is_terminal, pauses_sla FROM ticket_stages WHERE workspace_id = $workspaceId AND pipeline_id = $pipelineId ORDER BY position FOR UPDATE',
      bind,
    );
    if (!stages.some((stage) => stage.id === stageId)) throw notFound();
    if (stages.length === 1) throw conflict('A pipeline needs at least one stage. Delete the pipeline instead.');
    if (moveTo !== undefined) {
      const target = stages.find((stage) => stage.id === moveTo && stage.id !== stageId);
      if (!target) throw invalidPk('move_to', moveTo);
      await moveAll(ctx, { stageId }, { open: target, closed: target });
    }
    const held = await db.row(
      'SELECT 1 AS ok FROM tickets WHERE workspace_id = $workspaceId AND stage_id = $stageId LIMIT 1',
      { workspaceId: ctx.workspaceId, stageId },
    );
    if (held) throw conflict('This stage holds tickets. Say where they go with ?move_to=<stage id>.');
    await db.rows(
      'DELETE FROM ticket_stages WHERE workspace_id = $workspaceId AND pipeline_id = $pipelineId AND id = $stageId',
      { ...bind, stageId },
    );
    await writeOrder(
      ctx,
      pipelineId,
      stages.map((stage) => stage.id).filter((id) => id !== stageId),
    );
    await announce(ctx, 'stage_deleted', pipelineId, stageId);
  });
}

/** One change of a pipeline's stages at a time. Throws 404. */
async function lockPipeline(ctx: Ctx, pipelineId: number): Promise<void> {
  const row = await ctx.runtime.db.row(
    'SELECT id FROM ticket_pipelines WHERE workspace_id = $workspaceId AND id = $pipelineId FOR NO KEY UPDATE',
    { workspaceId: ctx.workspaceId, pipelineId },
  );
  if (!row) throw notFound();
}

async function placeStage(ctx: Ctx, pipelineId: number, stageId: number, place: number): Promise<void> {
  const rows = await ctx.runtime.db.rows<{ id: number }>(
    'SELECT id FROM ticket_stages WHERE workspace_id = $workspaceId AND pipeline_id = $pipelineId ORDER BY position, id',
    { workspaceId: ctx.workspaceId, pipelineId },
  );
  await writeOrder(
    ctx,
    pipelineId,
    placed(
      rows.map((row) => row.id),
      stageId,
      place,
    ),
  );
}

async function writeOrder(ctx: Ctx, pipelineId: number, ids: readonly number[]): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE ticket_stages s SET position = o.place - 1 FROM unnest($ids::bigint[]) WITH ORDINALITY AS o(id, place)
     WHERE s.workspace_id = $workspaceId AND s.pipeline_id = $pipelineId AND s.id = o.id AND s.position <> o.place - 1`,
    { workspaceId: ctx.workspaceId, pipelineId, ids },
  );
}

async function announce(ctx: Ctx, kind: string, pipelineId: number, stageId: number): Promise<void> {
  await recordEvent(ctx, {
    subjectType: 'workspace',
    subjectId: ctx.workspaceId,
    kind,
    data: { pipeline_id: pipelineId, stage_id: stageId },
  });
}
