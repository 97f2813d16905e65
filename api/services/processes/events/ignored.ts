import { col, fn } from 'sequelize';
import { cut } from '../../../core/text/cut';
import type { Ctx } from '../../../core/context';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import type { StoredEvent } from './claim';

const maxShown = 100;

/** A kind of platform event that this version does not process. */
interface IgnoredKind {
  readonly field: string;
  readonly count: number;
  readonly last_received_at: Date;
}

/** Keeps an event of an unknown kind: it is shown and counted, and a later version may process it. */
export async function keepIgnored(runtime: Runtime, event: StoredEvent): Promise<void> {
  const [kept] = await of({ workspaceId: event.workspace_id }, runtime.db.models.InboxEvent).update(
    { state: 'ignored' },
    { where: { id: event.id, state: 'new' } },
  );
  if (kept > 0) runtime.counts.platformEventIgnored(event.kind);
}

/** Keeps the event of a message that is no message to show, in the transaction that has taken it. */
export async function keepInstead(ctx: Ctx, event: StoredEvent, type: string): Promise<void> {
  const kind = cut(`message_${type}`, 64);
  await ctx.runtime.db.models.InboxEvent.create({
    workspace_id: ctx.workspaceId,
    business_account_id: event.business_account_id,
    kind,
    order_key: event.order_key,
    payload: event.payload,
    state: 'ignored',
  });
  ctx.runtime.counts.platformEventIgnored(kind);
}

/** Returns the unknown kinds of events that are kept for the workspace, the most frequent first. */
export async function listIgnored(ctx: Ctx): Promise<readonly IgnoredKind[]> {
  const rows = await of(ctx, ctx.runtime.db.models.InboxEvent).findAll({
    attributes: ['kind', [fn('count', col('id')), 'count'], [fn('max', col('received_at')), 'last_received_at']],
    where: { state: 'ignored' },
    group: ['kind'],
    order: [
      ['count', 'DESC'],
      ['kind', 'ASC'],
    ],
    limit: maxShown,
    raw: true,
  });
  return (rows as unknown as readonly { kind: string; count: string; last_received_at: Date }[]).map((row) => ({
    field: row.kind,
    count: Number(row.count),
    last_received_at: row.last_received_at,
  }));
}
