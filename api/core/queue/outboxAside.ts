import { literal, Op, type WhereOptions } from 'sequelize';
import type { Db } from '../db/database';
import { dbNow } from '../db/columnValues';
import { isKnownSql } from './outboxRows';
import { batchRows } from './parallel';

/*
 * Intents that could not be handed over: what an operator can do about them. They belong to all workspaces.
 */

/** An intent that was set aside, or waits; it holds ids only. */
interface Undelivered {
  readonly id: number;
  readonly workspace_id: number;
  readonly workflow: string;
  readonly workflow_id: string;
  readonly refusals: number;
  readonly error: string | null;
  readonly created_at: Date;
  readonly set_aside_at: Date | null;
}

const setAside = { set_aside_at: { [Op.ne]: null } };
/** Tried in vain, or of a workflow that this version does not know. */
const waiting = { set_aside_at: null, [Op.or]: [{ error: { [Op.ne]: '' } }, literal(`NOT ${isKnownSql}`)] };
/** All that were set aside; by its id also one that waits. */
const chosen = (id: number | undefined) => (id === undefined ? setAside : { id, [Op.or]: [setAside, waiting] });

/** Counts the intents that were set aside, for the metrics. */
export function countSetAside(db: Db): Promise<number> {
  return db.models.OutboxEntry.count({ where: setAside });
}

/** Lists the oldest intents that were set aside, and the oldest that wait for another try, each with the reason. */
export async function listUndelivered(db: Db): Promise<Record<'set_aside' | 'waiting', Undelivered[]>> {
  const list = (where: WhereOptions): Promise<Undelivered[]> =>
    db.models.OutboxEntry.findAll({
      attributes: [
        ...['id', 'workspace_id', 'workflow', 'workflow_id', 'refusals', 'created_at', 'set_aside_at'],
        [literal(`CASE WHEN ${isKnownSql} THEN error ELSE 'this version does not know its workflow' END`), 'error'],
      ],
      where,
      order: ['id'],
      limit: batchRows,
      raw: true,
    });
  return { set_aside: await list(setAside), waiting: await list(waiting) };
}

/** Makes the relays try one of them, or all that were set aside, again. Returns how many. */
export async function retrySetAside(db: Db, id?: number): Promise<number> {
  const again = { set_aside_at: null, refusals: 0, error: '', available_at: dbNow };
  const [retried] = await db.models.OutboxEntry.update(again, { where: chosen(id) });
  return retried;
}

/** Removes one of them, or all that were set aside; the sweeps still do what is due by the rows. Returns how many. */
export function dropSetAside(db: Db, id?: number): Promise<number> {
  return db.models.OutboxEntry.destroy({ where: chosen(id) });
}
