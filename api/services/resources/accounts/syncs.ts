import { literal, Op } from 'sequelize';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { notFound } from '../../../core/http/errors';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';

/** Webhooks tell of changes at once; the sync is for those that got lost. */
const syncEveryMs = 10 * 60_000;
/** Catalogues are long, change rarely, and count against the same limit of calls. */
const catalogueEvery = '1 hour';

/**
 * How often an account is read because it seems to be another one than is stored: events of a number that never comes,
 * and a client's own faults, ask for ever; a read takes some ten of the 5,000 calls that the platform allows in an hour
 * (upstream 1.7).
 */
const askedEvery = '1 minute';

/** An account that is to be read from the upstream now. */
export interface Turn {
  readonly id: number;
  readonly workspace_id: number;
}

/** Takes accounts that events asked to be read again, each once over all processes, workspaces in turns. */
export async function claimRequestedSyncsAnywhere(runtime: Runtime): Promise<Turn[]> {
  return runtime.db.rows<Turn>(
    `UPDATE business_accounts SET resync_at = NULL, synced_at = now()
     WHERE id = ANY(ARRAY(
       SELECT b.id FROM business_accounts b JOIN (
         SELECT id, row_number() OVER (PARTITION BY workspace_id ORDER BY resync_at) AS place FROM business_accounts
         WHERE resync_at <= now()::timestamptz(3)) asked ON asked.id = b.id
       WHERE b.resync_at <= now()::timestamptz(3)
       ORDER BY asked.place, b.resync_at LIMIT 10 FOR UPDATE OF b SKIP LOCKED))
     RETURNING id, workspace_id`,
  );
}

/**
 * Asks for a read of an account that may have a number which is not known here, or a template that is another one; one
 * that is asked for is enough.
 */
export async function requestRead(ctx: Pick<Ctx, 'runtime' | 'workspaceId'>, businessAccountPk: number): Promise<void> {
  await of(ctx, ctx.runtime.db.models.BusinessAccount).update(
    { resync_at: literal(`greatest(now(), synced_at + interval '${askedEvery}')`) },
    { where: { id: businessAccountPk, resync_at: null } },
  );
}

/**
 * Takes the account whose last read is longest ago, if it is due. Its time moves before it is read: an account that
 * fails waits for its next turn like the others.
 */
export async function claimDueSyncAnywhere(runtime: Runtime): Promise<Turn | null> {
  return runtime.db.row<Turn>(
    `UPDATE business_accounts SET synced_at = now() WHERE id = (
       SELECT id FROM business_accounts
       WHERE synced_at IS NULL OR synced_at < now() - $everyMs * interval '1 millisecond'
       ORDER BY synced_at NULLS FIRST, id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING id, workspace_id`,
    { everyMs: syncEveryMs },
  );
}

/**
 * Returns when a read of an account begins, by the database's time: other processes may read it, too. Never before what
 * is stored was read, should that time go back.
 */
export async function readBegins(ctx: Ctx, businessAccountPk: number): Promise<Date> {
  const row = await ctx.runtime.db.row<{ at: Date }>(
    `SELECT greatest(${dueNowSql(ctx.runtime.clock)}, read_at)::timestamptz(3) AS at
     FROM business_accounts WHERE workspace_id = $workspaceId AND id = $businessAccountPk`,
    { workspaceId: ctx.workspaceId, businessAccountPk },
  );
  if (!row) throw notFound();
  return row.at;
}

/**
 * SQL: what is newer than this was told after the read that began at `$readAt`. Events carry whole seconds: one of the
 * second of the read may be newer than what was read, so it keeps its word.
 */
export const readMark = "date_trunc('second', $readAt::timestamptz) - interval '1 millisecond'";

/**
 * Locks an account in the surrounding transaction, to store what a read gave that began at `readAt`. Returns false
 * where what a later one gave is stored already: an older word must not replace it.
 */
export async function lockForStoring(ctx: Ctx, businessAccountPk: number, readAt: Date): Promise<boolean> {
  const [count] = await of(ctx, ctx.runtime.db.models.BusinessAccount).update(
    { read_at: readAt },
    { where: { id: businessAccountPk, [Op.or]: [{ read_at: null }, { read_at: { [Op.lte]: readAt } }] } },
  );
  return count > 0;
}

/** Notes that what a read gave is stored; a request that came after it had begun stays. */
export async function noteSynced(ctx: Ctx, businessAccountPk: number, readAt: Date): Promise<void> {
  await ctx.runtime.db.row(
    `UPDATE business_accounts SET synced_at = now(), resync_at = CASE WHEN resync_at > $readAt THEN resync_at END
     WHERE workspace_id = $workspaceId AND id = $businessAccountPk RETURNING id`,
    { workspaceId: ctx.workspaceId, businessAccountPk, readAt },
  );
}

/** Returns whether the account's catalogues were last read long enough ago. */
export async function catalogueIsDue(ctx: Ctx, businessAccountPk: number): Promise<boolean> {
  const row = await ctx.runtime.db.row(
    `SELECT 1 FROM business_accounts WHERE workspace_id = $workspaceId AND id = $businessAccountPk
       AND (catalogue_synced_at IS NULL OR catalogue_synced_at < now() - interval '${catalogueEvery}')`,
    { workspaceId: ctx.workspaceId, businessAccountPk },
  );
  return row !== null;
}

/** Notes that the account's catalogues were read now. */
export async function noteCatalogueRead(ctx: Ctx, businessAccountPk: number): Promise<void> {
  await of(ctx, ctx.runtime.db.models.BusinessAccount).update(
    { catalogue_synced_at: dbNow },
    { where: { id: businessAccountPk } },
  );
}
