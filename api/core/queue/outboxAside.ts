import { Op } from 'sequelize';
import type { Db } from '../db/database';
import { dbNow } from '../db/stored';
import { batchRows } from './parallel';

/*
 * Intents that Temporal refused for good: what an operator can do about them. They belong to all workspaces.
 */

/** An intent that was set aside; it holds ids only. */
interface SetAside {
  readonly id: number;
  readonly workspace_id: number;
  readonly workflow_id: string;
  readonly refusals: number;
  readonly error: string | null;
  readonly created_at: Date;
  readonly set_aside_at: Date | null;
}

const chosen = (id: number | undefined) => ({
  set_aside_at: { [Op.ne]: null },
  ...(id === undefined ? {} : { id }),
});

/** Counts the intents that were set aside, for the metrics. */
export function countSetAside(db: Db): Promise<number> {
  return db.models.OutboxEntry.count({ where: chosen(undefined) });
}

/** Lists the oldest intents that were set aside, each with the reason. */
export function listSetAside(db: Db): Promise<SetAside[]> {
  return db.models.OutboxEntry.findAll({
    attributes: ['id', 'workspace_id', 'workflow_id', 'refusals', 'error', 'created_at', 'set_aside_at'],
    where: chosen(undefined),
    order: ['id'],
    limit: batchRows,
    raw: true,
  });
}

/** Makes the relays try one of them, or all, again. Returns how many. */
export async function retrySetAside(db: Db, id?: number): Promise<number> {
  const again = { set_aside_at: null, refusals: 0, available_at: dbNow };
  const [retried] = await db.models.OutboxEntry.update(again, { where: chosen(id) });
  return retried;
}

/** Removes one of them, or all; the sweeps still do what is due by the rows. Returns how many. */
export function dropSetAside(db: Db, id?: number): Promise<number> {
  return db.models.OutboxEntry.destroy({ where: chosen(id) });
}
