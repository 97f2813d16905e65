import { messageDeliveryStart } from '../../../workflows/contract';
import type { Ctx } from '../../core/context';
import type { Runtime } from '../../core/runtime';

/** Refusals of one phone number; every other stop is the whole account's (upstream-wire.md 1.6). */
const numberCodes = new Set([131045, 133010]);

/** How many waiting conversations are woken at once when a stop is lifted; the rest look again by themselves within a minute. */
const wakeLimit = 2_000;

export interface StopReason {
  readonly code: number;
  readonly title: string;
  readonly businessAccountId: number;
  readonly numberId: number | null;
}

/** Marks the number or account as refused by the upstream: what waits, waits until it is lifted. One alert per stop. */
export async function stopSending(ctx: Ctx, reason: StopReason): Promise<void> {
  const onNumber = numberCodes.has(reason.code) && reason.numberId !== null;
  const stopped = await ctx.runtime.db.row<{ id: number }>(
    `UPDATE ${onNumber ? 'phone_numbers' : 'business_accounts'} SET stopped_at = now(), stopped_code = $code, stopped_reason = left($title, 500), updated_at = now()
     WHERE workspace_id = $workspaceId AND id = $id AND stopped_at IS NULL RETURNING id`,
    {
      workspaceId: ctx.workspaceId,
      id: onNumber ? reason.numberId : reason.businessAccountId,
      code: reason.code,
      title: reason.title,
    },
  );
  if (!stopped) return;
  ctx.logger.error(
    {
      alert: 'sending_stopped',
      workspaceId: ctx.workspaceId,
      ...(onNumber ? { phoneNumber: reason.numberId } : { businessAccount: reason.businessAccountId }),
      code: reason.code,
      title: reason.title,
    },
    'the upstream refuses to send; messages wait until the stop is lifted (sync --resume) or their time is over',
  );
}

/** Wakes the conversations that waited for these numbers. Called in the transaction that lifts their stop. */
export async function wakeWaiting(ctx: Ctx, businessAccountId: number): Promise<void> {
  const rows = await ctx.runtime.db.rows<{ conversation_id: number }>(
    `WITH due AS (
       UPDATE messages m SET next_attempt_at = NULL, updated_at = now() FROM phone_numbers p
       WHERE m.workspace_id = $workspaceId AND m.delivery_state = 'queued' AND m.next_attempt_at IS NOT NULL AND p.id = m.phone_number_id AND p.business_account_id = $businessAccountId
       RETURNING m.conversation_id, m.send_seq
     )
     SELECT DISTINCT conversation_id FROM due WHERE send_seq IS NOT NULL LIMIT ${wakeLimit}`,
    { workspaceId: ctx.workspaceId, businessAccountId },
  );
  await ctx.runtime.outbox.addMany(
    ctx.workspaceId,
    rows.map(({ conversation_id: conversationId }) => ({
      start: { ...messageDeliveryStart(ctx.workspaceId, conversationId), workflow: 'messageDelivery' as const },
      input: { workspaceId: ctx.workspaceId, conversationId },
      signal: 'deliver',
    })),
  );
}

/** Asks the workers to read an account again soon; many askers make one read. */
export async function requestSync(ctx: Ctx, businessAccountId: number): Promise<void> {
  await ctx.runtime.db.rows(
    'UPDATE business_accounts SET resync_at = coalesce(resync_at, now()) WHERE workspace_id = $workspaceId AND id = $businessAccountId',
    { workspaceId: ctx.workspaceId, businessAccountId },
  );
}

/** How many accounts and numbers the upstream refuses at present, for the metrics. */
export async function countStopped(runtime: Runtime): Promise<{ accounts: number; numbers: number }> {
  const row = await runtime.db.row<{ accounts: number; numbers: number }>(
    'SELECT (SELECT count(*)::int FROM business_accounts WHERE stopped_at IS NOT NULL) AS accounts, (SELECT count(*)::int FROM phone_numbers WHERE stopped_at IS NOT NULL) AS numbers',
  );
  return row ?? { accounts: 0, numbers: 0 };
}
