import { Op } from 'sequelize';
import type { WebhookEventRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { batchRows } from '../../../core/queue/parallel';

const isSetAside = { set_aside_at: { [Op.ne]: null } };

/** Returns the oldest events of a workspace that could not be fanned out, with the reason. */
export async function listSetAside(
  ctx: Ctx,
): Promise<Pick<WebhookEventRow, 'id' | 'type' | 'set_aside_at' | 'set_aside_reason'>[]> {
  return of(ctx, ctx.runtime.db.models.WebhookEvent).findAll({
    attributes: ['id', 'type', 'set_aside_at', 'set_aside_reason'],
    where: isSetAside,
    order: ['id'],
    limit: batchRows,
    raw: true,
  });
}

/** Lets the fan-out try again what was set aside in a workspace; returns how many events. */
export async function retrySetAside(ctx: Ctx): Promise<number> {
  const [retried] = await of(ctx, ctx.runtime.db.models.WebhookEvent).update(
    { set_aside_at: null, set_aside_reason: '', fan_out_tries: 0 },
    { where: isSetAside },
  );
  return retried;
}
