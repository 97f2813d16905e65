import type { Ctx } from '../../../core/context';
import type { Runtime } from '../../../core/runtime';
import { onHoldSql } from './holds';

/** Refusals of one phone number; every other stop is the whole account's. */
const numberCodes = new Set([131045, 133010]);

/**
 * SQL: whether nothing may go out by a phone number, named by an expression: the upstream refuses it or its account, or
 * the operator holds it.
 */
export const stoppedSql = (numberPk: string): string =>
  `(${onHoldSql(numberPk)}
     OR EXISTS (SELECT 1 FROM phone_numbers sn JOIN business_accounts sa ON sa.id = sn.business_account_id
       WHERE sn.id = ${numberPk} AND coalesce(sn.stopped_at, sa.stopped_at) IS NOT NULL))`;

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
      event: 'upstream.sending_stopped',
      alert: 'sending_stopped',
      workspaceId: ctx.workspaceId,
      ...(onNumber ? { phoneNumber: reason.numberId } : { businessAccount: reason.businessAccountId }),
      code: reason.code,
      title: reason.title,
    },
    'the upstream refuses to send; messages wait until the stop is lifted (sync --resume) or their time is over',
  );
}

/** Asks the workers to read an account again soon; many askers make one read. */
export async function requestSync(ctx: Ctx, businessAccountId: number): Promise<void> {
  await ctx.runtime.db.rows(
    'UPDATE business_accounts SET resync_at = coalesce(resync_at, now()) WHERE workspace_id = $workspaceId AND id ' +
      '= $businessAccountId',
    { workspaceId: ctx.workspaceId, businessAccountId },
  );
}

/** How many accounts and numbers the upstream refuses at present, for the metrics. */
export async function countStopped(runtime: Runtime): Promise<{ accounts: number; numbers: number }> {
  const row = await runtime.db.row<{ accounts: number; numbers: number }>(
    'SELECT (SELECT count(*)::int FROM business_accounts WHERE stopped_at IS NOT NULL) AS accounts, (SELECT ' +
      'count(*)::int FROM phone_numbers WHERE stopped_at IS NOT NULL) AS numbers',
  );
  return row ?? { accounts: 0, numbers: 0 };
}
