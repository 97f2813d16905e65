import { Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/scoped';
import { dbNow } from '../../../core/stored';
import { onHoldSql } from './holds';

/** Codes that stop one phone number; all others stop the whole account. */
const numberCodes = new Set([131045, 133010]);

/**
 * SQL: whether sending by a phone number (an expression) is stopped: the upstream refuses it or its account, or an
 * operator holds it.
 */
export const stoppedSql = (numberPk: string): string =>
  `(${onHoldSql(numberPk)}
     OR EXISTS (SELECT 1 FROM phone_numbers sn JOIN business_accounts sa ON sa.id = sn.business_account_id
       WHERE sn.id = ${numberPk} AND coalesce(sn.stopped_at, sa.stopped_at) IS NOT NULL))`;

/** SQL: the platform's code that stops a phone number (an expression) or its account; null while both may send. */
export const stoppedCodeSql = (numberPk: string): string =>
  `(SELECT CASE WHEN sn.stopped_at IS NULL THEN sa.stopped_code ELSE sn.stopped_code END
    FROM phone_numbers sn JOIN business_accounts sa ON sa.id = sn.business_account_id WHERE sn.id = ${numberPk})`;

/** A refusal of the upstream that concerns more than one message. */
interface StopReason {
  readonly code: number;
  readonly title: string;
  readonly businessAccountId: number;
  readonly numberId: number | null;
}

/**
 * Marks the number or account as refused by the upstream; its messages wait until the stop is lifted. Logs an alert
 * once per stop.
 */
export async function stopSending(ctx: Ctx, reason: StopReason): Promise<void> {
  const { BusinessAccount, PhoneNumber } = ctx.runtime.db.models;
  const onNumber = numberCodes.has(reason.code) && reason.numberId !== null;
  const stop = {
    stopped_at: dbNow,
    stopped_code: reason.code,
    stopped_reason: [...reason.title].slice(0, 500).join(''),
    updated_at: dbNow,
  };
  const [stopped] = onNumber
    ? await of(ctx, PhoneNumber).update(stop, { where: { id: reason.numberId, stopped_at: null } })
    : await of(ctx, BusinessAccount).update(stop, { where: { id: reason.businessAccountId, stopped_at: null } });
  if (stopped === 0) return;
  ctx.logger.error(
    {
      event: 'upstream.sending_stopped',
      alert: 'sending_stopped',
      workspaceId: ctx.workspaceId,
      ...(onNumber ? { phoneNumber: reason.numberId } : { businessAccount: reason.businessAccountId }),
      // Not `code`, which is withheld as a secret of OAuth.
      platform_code: reason.code,
      title: reason.title,
    },
    'the platform refuses to send; messages wait until `sync` lifts the stop, or their time is over',
  );
}

/** Asks the workers to read an account again soon; several requests lead to one read. */
export async function requestSync(ctx: Ctx, businessAccountId: number): Promise<void> {
  await of(ctx, ctx.runtime.db.models.BusinessAccount).update(
    { resync_at: dbNow },
    { where: { id: businessAccountId, resync_at: null } },
  );
}

/** Counts the stopped accounts and numbers of all workspaces, for the metrics. */
export async function countStoppedAnywhere(runtime: Runtime): Promise<{ accounts: number; numbers: number }> {
  const { BusinessAccount, PhoneNumber } = runtime.db.models;
  const where = { stopped_at: { [Op.ne]: null } };
  return { accounts: await BusinessAccount.count({ where }), numbers: await PhoneNumber.count({ where }) };
}
