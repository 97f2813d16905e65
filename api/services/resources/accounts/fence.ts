import { randomUUID } from 'node:crypto';
import type { DeliveryHoldRow } from '../../../../models';
import type { WorkspaceCtx } from '../../../core/context';
import { AppError } from '../../../core/http/errors';
import { persist } from '../../../core/queue/persist';
import type { Runtime } from '../../../core/runtime';

/*
 * The operator's hold, and the fence that stops sending when the database may be an older copy (contract 16). The
 * statement that claims a message for its call checks both, so they take effect at once in all processes.
 *
 * The fence's one row holds the system identifier and the timeline of the database, and when its server was started. A
 * restored copy or a promoted standby differs in the first two. Files that were simply put back differ only in the
 * last, as after any restart: then nothing is sent until the witness, a random word that changes every minute here and
 * in the memory of the `reconcile` workflow, has shown that nothing was lost.
 */

/** SQL: whether this is another database than the one in which sending was allowed last. */
const wentBackSql = 'EXISTS (SELECT 1 FROM delivery_fence WHERE database_identity <> database_identity())';

/** SQL: whether the database server was restarted, and the database is still to be compared with its witness. */
const cameUpSql = 'EXISTS (SELECT 1 FROM delivery_fence WHERE running_since <> pg_postmaster_start_time())';

/** SQL: the operator's holds `dh` of what goes out by a phone number, named by an expression. */
const holdsOfSql = (numberPk: string): string =>
  `FROM delivery_holds dh LEFT JOIN phone_numbers dn ON dn.id = ${numberPk}
     WHERE dh.workspace_id IS NULL
       OR (dh.workspace_id = dn.workspace_id AND (dh.phone_number_id IS NULL OR dh.phone_number_id = dn.id))`;

/** SQL: whether the operator or the fence holds what goes out by a phone number, named by an expression. */
export const onHoldSql = (numberPk: string): string =>
  `(${wentBackSql} OR ${cameUpSql}
    OR EXISTS (SELECT 1 ${holdsOfSql(numberPk)}))`;

/** SQL: the number by which a conversation of `$workspaceId` is written to, or one of the workspace's. */
export const sendingNumberSql = (conversationId: string): string =>
  `(SELECT coalesce(hv.phone_number_id, (SELECT min(hp.id) FROM phone_numbers hp
     WHERE hp.workspace_id = hv.workspace_id)) FROM conversations hv
     WHERE hv.workspace_id = $workspaceId AND hv.id = ${conversationId})`;

/** Returns whether the operator or the fence holds what is sent in a conversation. */
export async function isConversationHeld(
  { runtime, workspaceId }: WorkspaceCtx,
  conversationId: number,
): Promise<boolean> {
  const row = await runtime.db.row<{ held: boolean }>(
    `SELECT ${onHoldSql(sendingNumberSql('$conversationId'))} AS held FROM workspaces w WHERE w.id = $workspaceId`,
    { workspaceId, conversationId },
  );
  return row?.held === true;
}

/** Returns whether the operator or the fence holds what goes out by a phone number; null: by none that is left. */
export async function isOnHold({ db }: Runtime, numberPk: number | null): Promise<boolean> {
  const row = await db.row<{ held: boolean }>(`SELECT ${onHoldSql('$numberPk::bigint')} AS held`, { numberPk });
  return row?.held === true;
}

/** SQL: why it is held, by the widest of the operator's holds; null where the operator holds nothing. */
export const holdReasonSql = (numberPk: string): string =>
  `(SELECT dh.reason ${holdsOfSql(numberPk)}
    ORDER BY dh.workspace_id NULLS FIRST, dh.phone_number_id NULLS FIRST LIMIT 1)`;

/** What is held: the whole installation, a workspace, or one phone number of it. */
export interface HoldScope {
  readonly workspaceId: number | null;
  readonly phoneNumberPk: number | null;
}

/** All sending. */
const everything: HoldScope = Object.freeze({ workspaceId: null, phoneNumberPk: null });

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

/** Takes the hold that DELIVERY_HOLD asks for; a process does so before it sends anything. */
export async function holdAtStart(runtime: Runtime, stop: AbortSignal): Promise<void> {
  if (!runtime.config.deliveryHold) return;
  const hold = (): Promise<DeliveryHoldRow> => holdSending(runtime, everything, 'DELIVERY_HOLD is set.');
  await persist({ logger: runtime.logger, stop }, 'PostgreSQL, to hold sending', hold);
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
  // SQL: a join of no workspace, for a table that stays tiny.
  return runtime.db.rows<HoldView>(
    `SELECT h.id, h.workspace_id, p.phone_number_id, h.reason, h.created_at
     FROM delivery_holds h LEFT JOIN phone_numbers p ON p.id = h.phone_number_id ORDER BY h.id`,
  );
}

/** What the fence says of the database. */
interface FenceState {
  /** It is another one than that in which sending was allowed last. */
  readonly wentBack: boolean;
  /** It was started anew, and is still to be compared with its witness. */
  readonly cameUp: boolean;
}

/** Returns what the fence says of the database. */
export async function fenceState(runtime: Runtime): Promise<FenceState> {
  const row = await runtime.db.row<FenceState>(`SELECT ${wentBackSql} AS "wentBack", ${cameUpSql} AS "cameUp"`);
  return row ?? { wentBack: false, cameUp: false };
}

/**
 * Writes down that the database went back in time, once: what is accepted from now on was certainly not sent before.
 */
export async function noteDatabaseWentBack(runtime: Runtime): Promise<void> {
  const [held] = await runtime.db.models.DeliveryHold.findAll({
    where: { workspace_id: null, phone_number_id: null },
    attributes: ['id'],
    raw: true,
  });
  if (held) return;
  await holdSending(runtime, everything, 'The database was restored, or a standby was promoted.');
  runtime.logger.error(
    { event: 'database.went_back', alert: 'sending_held' },
    'the database was restored or a standby was promoted: sending is held until `delivery resume --unknown-since TIME`',
  );
}

/** Allows sending in the database as it is now; the workflow takes over its word instead of comparing it. */
export async function acceptDatabase(runtime: Runtime): Promise<void> {
  // The functions are the database's own word about itself.
  await runtime.db.rows(
    `UPDATE delivery_fence SET database_identity = database_identity(), running_since = pg_postmaster_start_time(),
       accepted = true, updated_at = now()`,
  );
}

interface Known {
  readonly witness: string | null;
  readonly earlier: string | null;
  readonly accepted: boolean;
  readonly went_back: boolean;
  readonly came_up: boolean;
}

/**
 * Compares the word that the workflow remembers with that of the database, and changes it. A database with an older
 * word has lost what happened since: sending is held. Returns the word to remember, and whether a restarted database
 * turned out to have lost nothing.
 */
export async function compareWitness(
  runtime: Runtime,
  seen: string | null,
): Promise<{ readonly word: string; readonly cameBack: boolean }> {
  const { db } = runtime;
  const compared = await db.transaction(async () => {
    // SQL here and below: only functions of the database identify it. The row's lock allows one comparison at a time.
    const known = await db.row<Known>(
      `SELECT witness, earlier, accepted, database_identity <> database_identity() AS went_back,
         running_since <> pg_postmaster_start_time() AS came_up
       FROM delivery_fence FOR UPDATE`,
    );
    if (!known) throw new Error('the fence has no row');
    const isOlder = !isTheSame(known, seen);
    // SQL: it stays so until the operator accepts it.
    if (isOlder) await db.rows("UPDATE delivery_fence SET database_identity = 'older than its witness'");
    if (isOlder || known.went_back) return { word: known.witness ?? randomUUID(), cameBack: false, wentBack: true };
    // The workflow has not heard of the last change yet: another one would be one too many.
    const word = known.witness !== null && seen !== null && seen !== known.witness ? known.witness : randomUUID();
    await db.rows(
      `UPDATE delivery_fence SET running_since = pg_postmaster_start_time(), accepted = false, updated_at = now(),
         witness = $word, earlier = CASE WHEN witness = $word THEN earlier ELSE witness END`,
      { word },
    );
    return { word, cameBack: known.came_up, wentBack: false };
  });
  if (compared.wentBack) await noteDatabaseWentBack(runtime);
  return compared;
}

/** Returns whether what is remembered allows the database to be the one that it was. */
function isTheSame({ witness, earlier, accepted, came_up: cameUp }: Known, seen: string | null): boolean {
  if (accepted) return true;
  // Temporal is new here, or lost its memory: then only a database that never went away needs no witness.
  if (seen === null) return witness === null || !cameUp;
  return seen === witness || seen === earlier;
}

/** Returns how many holds there are at present, the fence among them, for the metrics. */
export async function countHolds(runtime: Runtime): Promise<number> {
  const row = await runtime.db.row<{ holds: number }>(
    `SELECT ((SELECT count(*) FROM delivery_holds) + (${wentBackSql} OR ${cameUpSql})::int)::int AS holds`,
  );
  return row?.holds ?? 0;
}
