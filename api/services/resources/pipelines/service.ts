import { Transaction } from 'sequelize';
import type { TicketPipelineRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { conflict, invalidField, invalidPk, notFound } from '../../../core/http/errors';
import type { EventKind } from '../../../core/queue/eventKinds';
import { recordEvent } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import { dbNow, storedIn } from '../../../core/db/columnValues';
import { refuseAboveCeiling } from '../../identity/workspaces/objectLimits';
import { lockWorkspace } from '../../identity/workspaces/service';
import { moveAll } from '../tickets/relocate';
import { readNotifications } from './notification';
import { placed } from './positions';
import { findPipeline } from './queries';
import { updatePipelineInput, type NewPipeline, type PipelinePatch } from './schema';
import type { PipelineView } from './serializer';
import { lockPipeline, lockStages, newStage } from './stages';
import { reason } from '../reasons';

// `position` is written by `placePipeline`, which numbers all pipelines anew.
const stored = storedIn<TicketPipelineRow>()(updatePipelineInput, { elsewhere: ['position'] });
const pipelines = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.TicketPipeline);

/** Creates a pipeline with its first stages: at least one, because tickets need a place. */
export async function createPipeline(ctx: Ctx, values: NewPipeline): Promise<PipelineView> {
  const { db } = ctx.runtime;

  return db.transaction(async () => {
    await refuseAboveCeiling(ctx, 'pipelines', () => pipelines(ctx).count());
    if (values.is_default) await dropDefault(ctx);
    const { id } = await db.models.TicketPipeline.create({
      ...stored.columnsOf(values),
      workspace_id: ctx.workspaceId,
      name: values.name,
      position: await pipelines(ctx).count(),
    });
    await createStages(ctx, id, values.stages ?? [{ name: 'New' }]);

    if (values.position !== undefined) await placePipeline(ctx, id, values.position);
    await announce(ctx, 'pipeline_created', { pipeline_id: id });
    return findPipeline(ctx, id);
  });
}

/** Stores a new pipeline's stages. One with a position is put there among those before it, as a later POST does. */
async function createStages(ctx: Ctx, pipelineId: number, stages: NonNullable<NewPipeline['stages']>): Promise<void> {
  const notifications = await readNotifications(ctx, stages);
  let order: number[] = [];
  for (const [index, { position }] of stages.entries()) order = placed(order, index, position ?? order.length);

  await ctx.runtime.db.models.TicketStage.bulkCreate(
    stages.map((stage, index) => ({
      ...newStage(ctx, pipelineId, stage, notifications[index] ?? {}),
      position: order.indexOf(index),
    })),
  );
}

/** Changes what is given. The default is handed over by making another pipeline the default. Throws 400 and 404. */
export async function updatePipeline(ctx: Ctx, id: number, values: PipelinePatch): Promise<PipelineView> {
  return ctx.runtime.db.transaction(async () => {
    await lockWorkspace(ctx);
    await lockPipeline(ctx, id);
    await ctx.precondition?.();
    const before = await findPipeline(ctx, id);
    if (values.is_default === false && before.is_default)
      throw invalidField('is_default', reason('needsDefaultPipeline'));

    if (values.is_default && !before.is_default) await dropDefault(ctx);
    await pipelines(ctx).update({ ...stored.columnsOf(values), updated_at: dbNow }, { where: { id } });
    if (values.position !== undefined) await placePipeline(ctx, id, values.position);
    await announce(ctx, 'pipeline_updated', { pipeline_id: id });
    return findPipeline(ctx, id);
  });
}

/** Removes a pipeline: 409 for the default one, and while it holds tickets unless they are moved (contract 8). */
export async function deletePipeline(ctx: Ctx, id: number, moveTo: number | undefined): Promise<void> {
  const { db } = ctx.runtime;

  await db.transaction(async () => {
    await lockWorkspace(ctx);
    // Locked, so that no stage is added meanwhile.
    const row = await pipelines(ctx).findOne({
      attributes: ['is_default'],
      where: { id },
      lock: Transaction.LOCK.NO_KEY_UPDATE,
      raw: true,
    });
    if (!row) throw notFound();
    await ctx.precondition?.();
    if (row.is_default) throw conflict(reason('defaultPipeline'));

    // A request that moves a ticket into one of these stages meanwhile waits for the lock, then finds the stage gone.
    await lockStages(ctx, id);
    if (moveTo !== undefined) await moveTickets(ctx, id, moveTo);
    if (
      (await of(ctx, db.models.Ticket).findOne({ attributes: ['id'], where: { pipeline_id: id }, raw: true })) !== null
    )
      throw conflict(reason('pipelineFull'));

    await pipelines(ctx).destroy({ where: { id } });
    await writeOrder(ctx, await pipelineIds(ctx));
    await announce(ctx, 'pipeline_deleted', {
      pipeline_id: id,
      ...(moveTo === undefined ? {} : { move_to: moveTo }),
    });
  });
}

/**
 * Moves the tickets of a pipeline: open ones to the first stage of the other, closed ones to its first terminal stage.
 */
async function moveTickets(ctx: Ctx, id: number, moveTo: number): Promise<void> {
  const stages = moveTo === id ? [] : await lockStages(ctx, moveTo, 'KEY_SHARE');
  const first = stages[0];
  if (!first) throw invalidPk('move_to', moveTo);
  await moveAll(ctx, { pipelineId: id }, { open: first, closed: stages.find((stage) => stage.is_terminal) ?? first });
}

async function dropDefault(ctx: Ctx): Promise<void> {
  await pipelines(ctx).update({ is_default: false, updated_at: dbNow }, { where: { is_default: true } });
}

async function placePipeline(ctx: Ctx, id: number, place: number): Promise<void> {
  await writeOrder(ctx, placed(await pipelineIds(ctx), id, place));
}

async function pipelineIds(ctx: Ctx): Promise<number[]> {
  const rows = await pipelines(ctx).findAll({ attributes: ['id'], order: ['position', 'id'], raw: true });
  return rows.map((row) => row.id);
}

/** Writes the order in one statement that touches only the rows whose place changes. */
async function writeOrder(ctx: Ctx, ids: readonly number[]): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE ticket_pipelines p SET position = o.place - 1
     FROM unnest($ids::bigint[]) WITH ORDINALITY AS o(id, place)
     WHERE p.workspace_id = $workspaceId AND p.id = o.id AND p.position <> o.place - 1`,
    { workspaceId: ctx.workspaceId, ids },
  );
}

async function announce(ctx: Ctx, kind: EventKind<'workspace'>, data: Record<string, unknown>): Promise<void> {
  await recordEvent(ctx, { subjectType: 'workspace', subjectId: ctx.workspaceId, kind, data });
}
