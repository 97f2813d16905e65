import type { DeliveryHoldRow } from '../../../../models';
import { AppError } from '../../../core/errors';
import type { Runtime } from '../../../core/runtime';

/*
 * The operator's brake, and the fence behind a database that went back in time (contract 16). Both are looked at by the
 * statement that claims a message for its call, so they hold from one moment to the next and over all processes.
 */

/**
 * SQL: whether this is another database than the one in which sending was allowed last: a restored copy, or a promoted
 * standby.
 */
const wentBackSql = 'EXISTS (SELECT 1 FROM delivery_fence f WHERE f.database_identity <> database_identity())';

/** SQL: the same, or whether it came up from a crash or a backup and is still to be compared with its witness. */
const fencedSql = `(NOT EXISTS (SELECT 1 FROM delivery_presence) OR ${wentBackSql})`;

/** SQL: whether the operator or the fence holds what goes out by a phone number, named by an expression. */
export const onHoldSql = (numberPk: string): string =>
  `(${fencedSql} OR EXISTS (SELECT 1 FROM delivery_holds dh LEFT JOIN phone_numbers dn ON dn.id = ${numberPk}
     WHERE dh.workspace_id IS NULL
       OR (dh.workspace_id = dn.workspace_id AND (dh.phone_number_id IS NULL OR dh.phone_number_id = dn.id))))`;

/** What is held: the whole installation, a workspace, or one phone number of it. */
export interface HoldScope {
  readonly workspaceId: number | null;
  readonly phoneNumberPk: number | null;
}

/** A hold as `delivery list` shows it. */
export interface HoldView {
  readonly id: number;
  readonly workspace_id: number | null;
  /** The platform's id of the number. */
  readonly phone_number_id: string | null;
  readonly reason: string;
  readonly created_at: Date;
}

/**
 * Finds what a hold is about. Throws a 400 for a workspace or number that does not exist, or a number of several
 * workspaces where none is named.
 */
export async function holdScopeAnywhere(
  runtime: Runtime,
  given: { readonly workspaceId?: number | undefined; readonly phoneNumberId?: string | undefined },
): Promise<HoldScope> {
  const { Workspace, PhoneNumber } = runtime.db.models;
  const { workspaceId, phoneNumberId } = given;
  if (workspaceId !== undefined && (await Workspace.count({ where: { id: workspaceId } })) === 0)
    throw new AppError('validation', `There is no workspace ${workspaceId}.`);
  if (phoneNumberId === undefined) return { workspaceId: workspaceId ?? null, phoneNumberPk: null };

  const numbers = await PhoneNumber.findAll({
    where: { phone_number_id: phoneNumberId, ...(workspaceId === undefined ? {} : { workspace_id: workspaceId }) },
    attributes: ['id', 'workspace_id'],
    raw: true,
    limit: 2,
  });
  const [number] = numbers;
  if (!number) throw new AppError('validation', `There is no phone number ${phoneNumberId}.`);
  if (numbers.length > 1)
    throw new AppError('validation', `Several workspaces have the phone number ${phoneNumberId}: say which one.`);
  return { workspaceId: number.workspace_id, phoneNumberPk: number.id };
}

/** Holds all sending of a scope, from now until it is resumed. Holding again changes only the reason. */
export async function holdSending(runtime: Runtime, scope: HoldScope, reason: string): Promise<DeliveryHoldRow> {
  // One statement, because two operators may do it at once, and the unique key is an expression.
  const row = await runtime.db.row<DeliveryHoldRow>(
    `INSERT INTO delivery_holds (workspace_id, phone_number_id, reason)
     VALUES ($workspaceId, $phoneNumberPk, left($reason, 500))
     ON CONFLICT (coalesce(workspace_id, 0), coalesce(phone_number_id, 0)) DO UPDATE SET reason = excluded.reason
     RETURNING *`,
    { ...scope, reason },
  );
  if (!row) throw new Error('the hold was not stored');
  runtime.logger.warn({ event: 'sending.held', ...scope, reason }, 'sending is held until it is resumed');
  return row;
}

/** Removes the hold of exactly this scope; false where there is none. Join it with what has to be settled before. */
export async function removeHold(runtime: Runtime, scope: HoldScope): Promise<boolean> {
  const removed = await runtime.db.models.DeliveryHold.destroy({
    where: { workspace_id: scope.workspaceId, phone_number_id: scope.phoneNumberPk },
  });
  return removed > 0;
}

/** All holds of the installation, oldest first; it crosses workspaces on purpose. */
export async function listHoldsOfAnyWorkspace(runtime: Runtime): Promise<HoldView[]> {
  // A join with the platform's id of the number, for a table that stays tiny.
  return runtime.db.rows<HoldView>(
    `SELECT h.id, h.workspace_id, p.phone_number_id, h.reason, h.created_at
     FROM delivery_holds h LEFT JOIN phone_numbers p ON p.id = h.phone_number_id ORDER BY h.id`,
  );
}

/** Returns whether this is another database than the one in which sending was allowed last. */
export async function databaseWentBack(runtime: Runtime): Promise<boolean> {
  const row = await runtime.db.row<{ fenced: boolean }>(`SELECT ${wentBackSql} AS fenced`);
  return row?.fenced ?? false;
}

/**
 * Writes down that the database went back in time, once: what is accepted from now on was certainly not sent before.
 */
export async function noteDatabaseWentBack(runtime: Runtime): Promise<boolean> {
  if (!(await databaseWentBack(runtime))) return false;
  const [held] = await runtime.db.models.DeliveryHold.findAll({
    where: { workspace_id: null, phone_number_id: null },
    attributes: ['id'],
    raw: true,
  });
  if (held) return true;
  await holdSending(
    runtime,
    { workspaceId: null, phoneNumberPk: null },
    'The database was restored, or a standby was promoted.',
  );
  runtime.logger.error(
    { event: 'database.went_back', alert: 'sending_held' },
    'the database was restored or a standby was promoted: sending is held until `delivery resume --unknown-since TIME`',
  );
  return true;
}

/** Writes down that this database is not the one that it seems to be; it stays so until the operator accepts it. */
export async function markWentBack(runtime: Runtime): Promise<void> {
  await runtime.db.models.DeliveryFence.update({ database_identity: 'older than its witness' }, { where: {} });
}

/** Allows sending in the database as it is now. */
export async function acceptDatabase(runtime: Runtime): Promise<void> {
  // The function is the database's own word about itself.
  await runtime.db.rows('UPDATE delivery_fence SET database_identity = database_identity(), updated_at = now()');
}

/** Returns how many holds there are at present, the fence among them, for the metrics. */
export async function countHolds(runtime: Runtime): Promise<number> {
  const row = await runtime.db.row<{ holds: number }>(
    `SELECT ((SELECT count(*) FROM delivery_holds) + (CASE WHEN ${fencedSql} THEN 1 ELSE 0 END))::int AS holds`,
  );
  return row?.holds ?? 0;
}
