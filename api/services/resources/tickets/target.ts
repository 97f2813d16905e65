import { col, Transaction, type WhereOptions } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { invalid, invalidField, invalidPk } from '../../../core/http/errors';
import { joined, of, recordsOf } from '../../../core/db/scoped';
import type { TicketPatch } from './schema';
import { reason } from '../reasons';

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

/** Finds a stage, held until the transaction ends: it is neither deleted nor given other rules in between. */
async function heldStage(ctx: Ctx, where: WhereOptions, order: readonly string[] = []): Promise<Stage | null> {
  const { TicketStage } = ctx.runtime.db.models;
  const [stage] = await recordsOf<Stage>(ctx, TicketStage, {
    attributes: [
      'id',
      'pipeline_id',
      'name',
      [col('pipeline.name'), 'pipeline_name'],
      'is_terminal',
      'pauses_sla',
      'notify_template_pk',
      'notify_template_variables',
      'notify_template_media_id',
    ],
    include: [joined('pipeline', true)],
    where,
    order: [...order],
    limit: 1,
    lock: { level: Transaction.LOCK.SHARE, of: TicketStage },
  });
  return stage ?? null;
}

/** Where a request says that a ticket goes. */
type Wanted = Pick<TicketPatch, 'pipeline' | 'stage'>;

const wrongPipeline = reason('wrongPipeline');

/**
 * Returns where a new ticket begins: the given stage, else the first one that is not terminal, of the given or default
 * pipeline. Throws 400.
 */
export async function initialStage(ctx: Ctx, wanted: Wanted): Promise<Stage> {
  const pipeline = await of(ctx, ctx.runtime.db.models.TicketPipeline).findOne({
    attributes: ['id'],
    where: wanted.pipeline === undefined ? { is_default: true } : { id: wanted.pipeline },
    raw: true,
  });
  if (!pipeline)
    throw wanted.pipeline === undefined
      ? invalid({ pipeline: [reason('required')] })
      : invalidPk('pipeline', wanted.pipeline);

  if (wanted.stage !== undefined) {
    const stage = await findStage(ctx, wanted.stage);
    if (stage.pipeline_id !== pipeline.id) throw invalidField('stage', wrongPipeline);
    return stage;
  }
  const stage = await heldStage(ctx, { pipeline_id: pipeline.id }, ['is_terminal', 'position']);
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
  const first = await heldStage(ctx, { pipeline_id: patch.pipeline }, ['position']);
  if (!first) throw invalidPk('pipeline', patch.pipeline);
  return first;
}

/** Refuses a stage of another pipeline where the patch names no pipeline. Throws 400. */
export function refuseOtherPipeline(patch: Wanted, stage: Stage, current: { readonly pipeline_id: number }): void {
  if (patch.pipeline === undefined && stage.pipeline_id !== current.pipeline_id)
    throw invalidField('stage', wrongPipeline);
}

async function findStage(ctx: Ctx, id: number): Promise<Stage> {
  const stage = await heldStage(ctx, { id });
  if (!stage) throw invalidPk('stage', id);
  return stage;
}
