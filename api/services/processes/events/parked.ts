import { Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { UnknownNumber } from './read';

const maxShown = 100;
/** Events that can be replayed: parked ones, except entries without a valid signature. */
const replayable = { state: 'parked', kind: { [Op.ne]: 'unverified' } } as const;

/** An upstream event that could not be processed; its content is the customer's and is not shown. */
interface ParkedEvent {
  readonly id: number;
  readonly kind: string;
  readonly error: string | null;
  readonly attempts: number;
  readonly received_at: Date;
}

/** Returns how many events of the workspace wait for a replay, and the oldest of them. */
export async function readParked(ctx: Ctx): Promise<{ parked_events: number; parked: ParkedEvent[] }> {
  const events = of(ctx, ctx.runtime.db.models.InboxEvent);
  const parked = await events.findAll({
    attributes: ['id', 'kind', 'error', 'attempts', 'received_at'],
    where: replayable,
    order: ['id'],
    limit: maxShown,
    raw: true,
  });
  return { parked_events: await events.count({ where: replayable }), parked };
}

/** Makes the workspace's parked events be processed again. Returns how many. */
export async function replayParked(ctx: Ctx): Promise<number> {
  const [replayed] = await of(ctx, ctx.runtime.db.models.InboxEvent).update(
    { state: 'new', attempts: 0, available_at: dbNow, holds_until: null, error: null },
    { where: replayable },
  );
  return replayed;
}

/** Makes the workspace's events that were parked because their number was not known be processed again if it is now. */
export async function replayKnownNumbers(ctx: Ctx): Promise<void> {
  // SQL: the number is named inside of the payload.
  await ctx.runtime.db.rows(
    `UPDATE inbox_events e SET state = 'new', attempts = 0, available_at = now(), holds_until = NULL,
       error = NULL
     FROM phone_numbers p
     WHERE e.workspace_id = $workspaceId AND e.state = 'parked' AND e.error LIKE '${UnknownNumber.name}:%'
       AND p.workspace_id = e.workspace_id AND p.phone_number_id = e.payload #>> '{metadata,phone_number_id}'`,
    { workspaceId: ctx.workspaceId },
  );
}

/** Removes a parked event that is of no use, or all of the workspace; returns how many. */
export async function dropParked(ctx: Ctx, id?: number): Promise<number> {
  // Also those without a valid signature, because the alert lasts as long as any event is parked.
  const where = { state: 'parked', ...(id === undefined ? {} : { id }) } as const;
  return of(ctx, ctx.runtime.db.models.InboxEvent).destroy({ where });
}
