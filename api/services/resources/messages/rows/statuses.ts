import { cut } from '../../../../core/text/cut';
import type { Ctx } from '../../../../core/context';
import { keptIdSql } from '../../contacts/histories';
import { countryOf } from '../../usage/countries';
import { arrivedColumns, noteArrivedSql } from '../../usage/arrivedMessages';
import { statusRank, storedRankSql, type MessageStatus } from './status';

/** `pricing` of a status (upstream 2.7), as it came. */
export type Pricing = Readonly<Record<string, unknown>>;

/** A status webhook's item as far as it concerns us (upstream 2.7). */
export interface StatusUpdate {
  readonly wamid: string;
  /** Our own id, echoed as `biz_opaque_callback_data`. */
  readonly opaque: string | null;
  readonly status: Exclude<MessageStatus, 'received' | 'queued' | 'unknown'>;
  readonly at: Date;
  /** What the platform charges, in its own words; null where it does not say. */
  readonly pricing: Pricing | null;
  readonly error: { readonly code: number; readonly title: string; readonly message: string } | null;
}

/** The message that a status is for, with what is known of its recipient. */
export interface StatusTarget {
  readonly id: number;
  readonly origin: string;
  readonly contact_id: number;
  readonly phone: string | null;
  readonly bsuid: string | null;
  readonly username: string | null;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns our own id where a status has a usable one; without it only the wamid says which message is meant. */
function opaqueOf(update: StatusUpdate): string | null {
  return update.opaque !== null && uuidPattern.test(update.opaque) ? update.opaque : null;
}

/** Returns the messages that these statuses are for, in their order; null where none is known (yet). Locks nothing. */
export async function findStatusTargets(ctx: Ctx, updates: readonly StatusUpdate[]): Promise<(StatusTarget | null)[]> {
  if (updates.length === 0) return [];

  const opaqueOfEach = updates.map(opaqueOf);
  const opaques = opaqueOfEach.filter((opaque) => opaque !== null);
  const wamids = updates.filter((_update, place) => opaqueOfEach[place] === null).map(({ wamid }) => wamid);
  // Each kind of id is looked up by its own index, and only where there is one: for an empty list the planner may read
  // all messages of the workspace.
  const lookups = [
    ...(opaques.length > 0 ? ['opaque = ANY($opaques::uuid[])'] : []),
    ...(wamids.length > 0 ? ['wamid = ANY($wamids::text[])'] : []),
  ].map(
    (isOne) => `SELECT id, workspace_id, origin, opaque, wamid, conversation_id
       FROM messages
       WHERE workspace_id = $workspaceId AND direction = 'outbound' AND ${isOne}`,
  );
  const rows = await ctx.runtime.db.rows<StatusTarget & { opaque: string | null; wamid: string | null }>(
    `SELECT m.id, m.origin, m.opaque, m.wamid, c.id AS contact_id, c.phone, c.bsuid, c.username
     FROM (${lookups.join(' UNION ')}) m
     JOIN conversations v ON v.id = ${keptIdSql('m')}
     JOIN contacts c ON c.id = v.contact_id`,
    { workspaceId: ctx.workspaceId, opaques, wamids },
  );

  const byOpaque = new Map(rows.map((row) => [row.opaque, row]));
  const byWamid = new Map(rows.map((row) => [row.wamid, row]));
  return updates.map(({ wamid }, place) => {
    const opaque = opaqueOfEach[place] ?? null;
    return (opaque === null ? byWamid.get(wamid) : byOpaque.get(opaque.toLowerCase())) ?? null;
  });
}

/**
 * Applies statuses to their messages, in the surrounding transaction. Only upwards, so repetitions and any order of
 * webhooks end the same. A row whose outcome was unknown is settled by it.
 */
export async function applyStatuses(
  ctx: Ctx,
  found: readonly { readonly target: StatusTarget; readonly update: StatusUpdate }[],
): Promise<void> {
  // By id, like all that change several messages, to avoid deadlocks. A statement changes a row once, so several
  // statuses of one message need as many.
  for (let rest = [...found].sort((left, right) => left.target.id - right.target.id); rest.length > 0;) {
    const round = new Map(rest.map((one) => [one.target.id, one]));
    rest = rest.filter((one) => round.get(one.target.id) !== one);
    await applyOneEach(ctx, [...round.values()]);
  }
}

async function applyOneEach(
  ctx: Ctx,
  found: readonly { readonly target: StatusTarget; readonly update: StatusUpdate }[],
): Promise<void> {
  for (const { update } of found) ctx.runtime.counts.messagesSettled(update.status, 1);
  const moves = `${storedRankSql('m')} < u.rank`;
  const earliest = (column: string): string => `least(coalesce(m.${column}, u.at), u.at)`;
  await ctx.runtime.db.rows(
    `WITH moved AS (UPDATE messages m SET
       wamid = coalesce(m.wamid, u.wamid),
       message_status = CASE WHEN ${moves} THEN u.status ELSE m.message_status END,
       unknown_intake_ms = CASE WHEN ${moves} THEN NULL ELSE m.unknown_intake_ms END,
       error_code = CASE WHEN ${moves} THEN u.code ELSE m.error_code END,
       error_title = CASE WHEN ${moves} THEN u.title ELSE m.error_title END,
       error_message = CASE WHEN ${moves} THEN u.message ELSE m.error_message END,
       -- Statuses may differ in it, and come in any order: the greatest is the same for every order.
       pricing = greatest(m.pricing, u.pricing),
       pricing_category = left(coalesce(greatest(m.pricing, u.pricing)->>'category', m.pricing_category), 64),
       delivery_note = '',
       sent_at = CASE WHEN u.status = 'sent' THEN ${earliest('sent_at')} ELSE m.sent_at END,
       delivered_at = CASE WHEN u.status = 'delivered' THEN ${earliest('delivered_at')} ELSE m.delivered_at END,
       read_at = CASE WHEN u.status = 'read' THEN ${earliest('read_at')} ELSE m.read_at END,
       failed_at = CASE
         WHEN u.status = 'failed' THEN ${earliest('failed_at')}
         WHEN ${moves} THEN NULL
         ELSE m.failed_at END,
       -- Whatever the upstream speaks of was sent: a row that waits for another try must not be sent again.
       delivery_state = CASE WHEN m.delivery_state = 'queued' THEN 'settled' ELSE m.delivery_state END,
       updated_at = now()
     FROM jsonb_to_recordset($updates::jsonb)
       AS u(id bigint, wamid text, status text, rank int, at timestamptz, pricing jsonb, code int, title text,
         message text, country text)
     -- The ids twice: the planner guesses hundreds of rows for a list of objects, and would read the whole table.
     WHERE m.workspace_id = $workspaceId AND m.id = ANY($ids::bigint[]) AND m.id = u.id
     RETURNING ${arrivedColumns}, u.country)
     ${noteArrivedSql('moved')}`,
    {
      workspaceId: ctx.workspaceId,
      ids: found.map(({ target }) => target.id),
      updates: JSON.stringify(
        found.map(({ target, update }) => ({
          id: target.id,
          wamid: update.wamid,
          status: update.status,
          rank: statusRank[update.status],
          at: update.at,
          pricing: update.pricing,
          code: update.error?.code ?? null,
          title: cut(update.error?.title ?? '', 255),
          message: update.error?.message ?? '',
          country: countryOf(target),
        })),
      ),
    },
  );
}

/** Applies one status; returns its message, or null when it is not known (yet). Runs in the surrounding transaction. */
export async function applyStatus(ctx: Ctx, update: StatusUpdate): Promise<StatusTarget | null> {
  if (opaqueOf(update) === null) await lockWamid(ctx, update.wamid);
  const [target] = await findStatusTargets(ctx, [update]);
  if (!target) return null;
  await applyStatuses(ctx, [{ target, update }]);
  return target;
}

/**
 * Sets the status of a payment that travels as a status item; null where its message is not known. A failed one may
 * still be captured and nothing undoes that, so any order ends the same.
 */
export async function applyPayment(ctx: Ctx, wamid: string, status: string): Promise<{ id: number } | null> {
  return ctx.runtime.db.row<{ id: number }>(
    `UPDATE messages
     SET payment_status = CASE
         WHEN payment_status = 'captured' OR (payment_status = 'failed' AND $status::text <> 'captured')
         THEN payment_status
         ELSE left($status::text, 32) END,
       updated_at = now()
     WHERE workspace_id = $workspaceId AND wamid = $wamid
     RETURNING id`,
    { workspaceId: ctx.workspaceId, wamid, status },
  );
}

/** Keeps a status until its message is known; `recordOutcomes` takes it from there. */
export async function parkStatus(ctx: Ctx, wamid: string, businessAccountId: number, event: unknown): Promise<void> {
  await ctx.runtime.db.models.ParkedStatus.create({
    workspace_id: ctx.workspaceId,
    wamid,
    payload: { business_account_id: businessAccountId, event },
  });
}

/** Lets a status that looks for its message and a send that records its id take turns. */
async function lockWamid(ctx: Pick<Ctx, 'runtime' | 'workspaceId'>, wamid: string): Promise<void> {
  await ctx.runtime.db.rows('SELECT pg_advisory_xact_lock(hashtextextended($key, 1)) IS NULL AS locked', {
    key: wamidKey(ctx.workspaceId, wamid),
  });
}

/** Returns what `lockWamid` locks; several are taken in the order of these texts. */
export function wamidKey(workspaceId: number, wamid: string): string {
  return `wamid:${workspaceId}:${wamid}`;
}
