import type { Ctx } from '../../core/context';
import { statusRank, type MessageStatus } from './status';
import { storedRankSql } from './statusSql';

/** A status webhook's item as far as it concerns us (upstream-wire.md 2.7). */
export interface StatusUpdate {
  readonly wamid: string;
  /** Our own id, echoed as `biz_opaque_callback_data`. */
  readonly opaque: string | null;
  readonly status: Exclude<MessageStatus, 'received' | 'queued' | 'unknown'>;
  readonly at: Date;
  readonly pricingCategory: string;
  readonly error: { readonly code: number; readonly title: string; readonly message: string } | null;
}

/** The message that a status was for, with what is known of its recipient. */
export interface AppliedStatus {
  readonly id: number;
  readonly conversation_id: number;
  readonly origin: string;
  readonly contact_id: number;
  readonly phone: string | null;
  readonly bsuid: string | null;
  readonly username: string | null;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Applies a status to its message; gives the message's id, or null when it is not known (yet). Only upwards, so
 * repetitions and any order of webhooks end the same (contract C6). A row whose outcome was unknown is settled by it.
 */
export async function applyStatus(ctx: Ctx, update: StatusUpdate): Promise<AppliedStatus | null> {
  const byOpaque = update.opaque !== null && uuidPattern.test(update.opaque);
  if (!byOpaque) await lockWamid(ctx, update.wamid);
  const rank = statusRank[update.status];
  const moves = `${storedRankSql} < ${rank}`;
  return ctx.runtime.db.row<AppliedStatus>(
    `WITH applied AS (UPDATE messages SET
       wamid = coalesce(wamid, $wamid),
       message_status = CASE WHEN ${moves} THEN $status ELSE message_status END,
       unknown_intake_ms = CASE WHEN ${moves} THEN NULL ELSE unknown_intake_ms END,
       error_code = CASE WHEN ${moves} THEN $errorCode::int ELSE error_code END,
       error_title = CASE WHEN ${moves} THEN $errorTitle ELSE error_title END,
       error_message = CASE WHEN ${moves} THEN $errorMessage ELSE error_message END,
       pricing_category = CASE WHEN $pricing <> '' THEN $pricing ELSE pricing_category END,
       sent_at = CASE WHEN $status = 'sent' THEN least(coalesce(sent_at, $at), $at) ELSE sent_at END,
       delivered_at = CASE WHEN $status = 'delivered' THEN least(coalesce(delivered_at, $at), $at) ELSE delivered_at END,
       read_at = CASE WHEN $status = 'read' THEN least(coalesce(read_at, $at), $at) ELSE read_at END,
       failed_at = CASE WHEN $status = 'failed' THEN least(coalesce(failed_at, $at), $at) WHEN ${moves} THEN NULL ELSE failed_at END,
       -- Whatever the upstream speaks of was sent: a row that waits for another try must not be sent again.
       delivery_state = CASE WHEN delivery_state = 'queued' THEN 'settled' ELSE delivery_state END,
       updated_at = now()
     WHERE workspace_id = $workspaceId AND direction = 'outbound' AND ${byOpaque ? 'opaque = $opaque::uuid' : 'wamid = $wamid'}
     RETURNING id, conversation_id, origin)
     SELECT a.id, a.conversation_id, a.origin, c.id AS contact_id, c.phone, c.bsuid, c.username FROM applied a JOIN conversations v ON v.id = a.conversation_id JOIN contacts c ON c.id = v.contact_id`,
    {
      workspaceId: ctx.workspaceId,
      wamid: update.wamid,
      status: update.status,
      at: update.at,
      pricing: update.pricingCategory,
      errorCode: update.error?.code ?? null,
      errorTitle: update.error?.title.slice(0, 255) ?? '',
      errorMessage: update.error?.message ?? '',
      ...(byOpaque ? { opaque: update.opaque } : {}),
    },
  );
}

/** Sets the status of a payment that travels as a status item; `captured` and `failed` are final. */
export async function applyPayment(ctx: Ctx, wamid: string, status: string): Promise<{ id: number } | null> {
  return ctx.runtime.db.row<{ id: number }>(
    `UPDATE messages SET payment_status = CASE WHEN payment_status IN ('captured', 'failed') THEN payment_status ELSE left($status, 32) END, updated_at = now()
     WHERE workspace_id = $workspaceId AND wamid = $wamid RETURNING id`,
    { workspaceId: ctx.workspaceId, wamid, status },
  );
}

/** Keeps a status until its message is known; `recordAccepted` takes it from there. */
export async function parkStatus(ctx: Ctx, wamid: string, businessAccountId: number, event: unknown): Promise<void> {
  await ctx.runtime.db.rows('INSERT INTO parked_statuses (workspace_id, wamid, payload) VALUES ($workspaceId, $wamid, $payload::jsonb)', {
    workspaceId: ctx.workspaceId,
    wamid,
    payload: JSON.stringify({ business_account_id: businessAccountId, event }),
  });
}

/** A status that looks for its message and a send that records its id take turns. */
export async function lockWamid(ctx: Pick<Ctx, 'runtime' | 'workspaceId'>, wamid: string): Promise<void> {
  await ctx.runtime.db.rows('SELECT pg_advisory_xact_lock(hashtextextended($key, 1)) IS NULL AS locked', { key: wamidKey(ctx.workspaceId, wamid) });
}

/** What `lockWamid` locks; whoever takes several takes them in the order of these texts. */
export function wamidKey(workspaceId: number, wamid: string): string {
  return `wamid:${workspaceId}:${wamid}`;
}

