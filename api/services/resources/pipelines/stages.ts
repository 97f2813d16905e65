import { Transaction } from 'sequelize';
import type { TicketStageRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { conflict, invalidPk, notFound } from '../../../core/http/errors';
import type { EventKind } from '../../../core/queue/eventKinds';
import { recordEvent } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import { dbNow, storedIn } from '../../../core/db/columnValues';
import { refuseAboveCeiling } from '../../identity/workspaces/objectLimits';
import { moveAll, refreshStageClocks, type StageTarget } from '../tickets/relocate';
import { readNotification, type NotificationChange } from './notification';
import { placed } from './positions';
import { findStage } from './queries';
import { updateStageInput, type NewStage, type StagePatch } from './schema';
import type { StageView } from './serializer';
import { reason } from '../reasons';

const stored = storedIn<TicketStageRow>()(updateStageInput, {
  // The place is given by moving the others along; the notification is checked against the template.
  elsewhere: ['position', 'notify_template_id', 'notify_template_variables', 'notify_template_media_id'],
});
const stages = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.TicketStage);

type NewStageColumns = Partial<TicketStageRow> & Pick<TicketStageRow, 'workspace_id' | 'pipeline_id' | 'name'>;

/** Returns the columns of a new stage, but for its place. */
export function newStage(ctx: Ctx, pipelineId: number, values: NewStage, notify: NotificationChange): NewStageColumns {
  return {
    ...stored.columnsOf(values),
    ...notificationColumns(notify),
    workspace_id: ctx.workspaceId,
    pipeline_id: pipelineId,
    name: values.name,
  };
}

function notificationColumns({ templatePk, variables, mediaId }: NotificationChange): Partial<TicketStageRow> {
  return {
    ...(templatePk === undefined ? {} : { notify_template_pk: templatePk }),
    ...(variables === undefined ? {} : { notify_template_variables: { ...variables } }),
    ...(mediaId === undefined ? {} : { notify_template_media_id: mediaId }),
  };
}

/** Adds a stage, at the end unless a position is given. Throws 400 and 404. */
export async function createStage(ctx: Ctx, pipelineId: number, values: NewStage): Promise<StageView> {
  const { db } = ctx.runtime;

  return db.transaction(async () => {
    const count = (): Promise<number> => stages(ctx).count({ where: { pipeline_id: pipelineId } });
    await refuseAboveCeiling(ctx, 'stages', count);
    await lockPipeline(ctx, pipelineId);
    const notify = await readNotification(ctx, values);
    const { id } = await db.models.TicketStage.create({
      ...newStage(ctx, pipelineId, values, notify),
      position: await count(),
    });

    if (values.position !== undefined) await placeStage(ctx, pipelineId, id, values.position);
    await announce(ctx, 'stage_created', pipelineId, id);
    return findStage(ctx, pipelineId, id);
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
  values: StagePatch,
): Promise<StageView> {
  return ctx.runtime.db.transaction(async () => {
    await lockPipeline(ctx, pipelineId);
    // Tickets that enter the stage meanwhile wait, so that none keeps the clock of the stage as it was.
    const where = { id: stageId, pipeline_id: pipelineId };
    const before = await stages(ctx).findOne({ where, lock: true, raw: true });
    if (!before) throw notFound();
    await ctx.precondition?.();

    const notify = await readNotification(ctx, values, {
      templateId: await templateIdOf(ctx, before.notify_template_pk),
      mediaId: before.notify_template_media_id,
    });
    const columns = { ...stored.columnsOf(values), ...notificationColumns(notify) };
    await stages(ctx).update({ ...columns, updated_at: dbNow }, { where });
    if (values.position !== undefined) await placeStage(ctx, pipelineId, stageId, values.position);

    const after = { ...before, ...columns };
    if (after.is_terminal !== before.is_terminal || after.pauses_sla !== before.pauses_sla)
      await refreshStageClocks(ctx, after);
    await announce(ctx, 'stage_updated', pipelineId, stageId);
    return findStage(ctx, pipelineId, stageId);
  });
}

async function templateIdOf(ctx: Ctx, templatePk: number | null): Promise<string | null> {
  if (templatePk === null) return null;
  const template = await of(ctx, ctx.runtime.db.models.Template).findOne({
    attributes: ['template_id'],
    where: { id: templatePk },
    raw: true,
  });
  return template?.template_id ?? null;
}

/**
 * Removes a stage: 409 for the last one of a pipeline, and while it holds tickets unless they are moved to another of
 * its stages.
 */
export async function deleteStage(
  ctx: Ctx,
  pipelineId: number,
  stageId: number,
  moveTo: number | undefined,
): Promise<void> {
  const { db } = ctx.runtime;

  await db.transaction(async () => {
    await lockPipeline(ctx, pipelineId);
    const present = await lockStages(ctx, pipelineId);
    if (!present.some((stage) => stage.id === stageId)) throw notFound();
    await ctx.precondition?.();
    if (present.length === 1) throw conflict(reason('needsStage'));

    if (moveTo !== undefined) {
      const target = present.find((stage) => stage.id === moveTo && stage.id !== stageId);
      if (!target) throw invalidPk('move_to', moveTo);
      await moveAll(ctx, { stageId }, { open: target, closed: target });
    }
    if (
      (await of(ctx, db.models.Ticket).findOne({ attributes: ['id'], where: { stage_id: stageId }, raw: true })) !==
      null
    )
      throw conflict(reason('stageFull'));

    await stages(ctx).destroy({ where: { id: stageId, pipeline_id: pipelineId } });
    const others = present.filter((stage) => stage.id !== stageId);
    await writeOrder(
      ctx,
      pipelineId,
      others.map((stage) => stage.id),
    );
    await announce(ctx, 'stage_deleted', pipelineId, stageId);
  });
}

/** Reads the stages of a pipeline in order and locks them until the transaction ends. */
export async function lockStages(
  ctx: Ctx,
  pipelineId: number,
  lock: 'UPDATE' | 'KEY_SHARE' = 'UPDATE',
): Promise<StageTarget[]> {
  return stages(ctx).findAll({
    attributes: ['id', 'pipeline_id', 'is_terminal', 'pauses_sla'],
    where: { pipeline_id: pipelineId },
    order: ['position'],
    lock: Transaction.LOCK[lock],
    raw: true,
  });
}

/** Serialises changes of a pipeline's stages. Throws 404. */
/** Locks a pipeline until the transaction ends. Throws 404. */
export async function lockPipeline(ctx: Ctx, pipelineId: number): Promise<void> {
  const row = await of(ctx, ctx.runtime.db.models.TicketPipeline).findOne({
    attributes: ['id'],
    where: { id: pipelineId },
    lock: Transaction.LOCK.NO_KEY_UPDATE,
    raw: true,
  });
  if (!row) throw notFound();
}

async function placeStage(ctx: Ctx, pipelineId: number, stageId: number, place: number): Promise<void> {
  const rows = await stages(ctx).findAll({
    attributes: ['id'],
    where: { pipeline_id: pipelineId },
    order: ['position', 'id'],
    raw: true,
  });
  const ids = rows.map((row) => row.id);
  await writeOrder(ctx, pipelineId, placed(ids, stageId, place));
}

/** Writes the order in one statement that touches only the rows whose place changes. */
async function writeOrder(ctx: Ctx, pipelineId: number, ids: readonly number[]): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE ticket_stages s SET position = o.place - 1
     FROM unnest($ids::bigint[]) WITH ORDINALITY AS o(id, place)
     WHERE s.workspace_id = $workspaceId AND s.pipeline_id = $pipelineId AND s.id = o.id AND s.position <> o.place - 1`,
    { workspaceId: ctx.workspaceId, pipelineId, ids },
  );
}

async function announce(ctx: Ctx, kind: EventKind<'workspace'>, pipelineId: number, stageId: number): Promise<void> {
  await recordEvent(ctx, {
    subjectType: 'workspace',
    subjectId: ctx.workspaceId,
    kind,
    data: { pipeline_id: pipelineId, stage_id: stageId },
  });
}
