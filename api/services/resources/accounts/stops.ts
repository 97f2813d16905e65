import { Op } from 'sequelize';
import { cut } from '../../../core/text/cut';
import type { Ctx } from '../../../core/context';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { recordEvent } from '../../../core/queue/events';
import { onHoldSql } from './fence';
import { isPaymentRefused, unpaid } from './payment';

/** Lifting a stop or a hold sends a signal; in case that is lost, who waits for it looks again this often. */
export const heldForMs = 3_600_000;

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

/** SQL: of the number `sn` and its account `sa`, since when no broadcast may be sent; null while they may. */
const noBroadcastsSinceSql = 'coalesce(sn.stopped_at, sa.stopped_at, sa.payment_refused_at)';
const numberSql = (what: string, numberPk: string): string =>
  `(SELECT ${what} FROM phone_numbers sn JOIN business_accounts sa ON sa.id = sn.business_account_id
    WHERE sn.id = ${numberPk} AND ${noBroadcastsSinceSql} IS NOT NULL)`;

/** SQL: since when the platform stops the broadcasts of a phone number (an expression); null where it does not. */
export const broadcastsStoppedSinceSql = (numberPk: string): string => numberSql(noBroadcastsSinceSql, numberPk);

/** SQL: why it does, as a sentence; null where it does not. */
export const broadcastsStoppedWhySql = (numberPk: string): string =>
  numberSql(
    `CASE WHEN sn.stopped_at IS NOT NULL
       THEN format('The platform refuses the phone number: %s (%s).', sn.stopped_reason, sn.stopped_code)
     WHEN sa.stopped_at IS NOT NULL
       THEN format('The platform refuses the account: %s (%s).', sa.stopped_reason, sa.stopped_code)
     ELSE 'The platform does not deliver what the account would have to pay for (${unpaid}).' END`,
    numberPk,
  );

/** SQL: whether broadcasts by a phone number wait: the platform stops them, or an operator holds them. */
export const broadcastsWaitSql = (numberPk: string): string =>
  `(${onHoldSql(numberPk)} OR ${broadcastsStoppedSinceSql(numberPk)} IS NOT NULL)`;

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
  /** When the platform refused it, where it had accepted the message first and reported that later; else null. */
  readonly reportedAt: Date | null;
}

/**
 * Marks the number or account as refused by the upstream; its messages wait until the stop is lifted. Where it takes
 * messages and reports that some are not paid for, only broadcasts wait: what is free still arrives. A report from
 * before the operator let it send again is no news. Logs an alert once per stop.
 */
export async function stopSending(ctx: Ctx, reason: StopReason): Promise<void> {
  const { BusinessAccount, PhoneNumber } = ctx.runtime.db.models;
  const onNumber = numberCodes.has(reason.code) && reason.numberId !== null;
  const stop = {
    stopped_at: dbNow,
    stopped_code: reason.code,
    stopped_reason: cut(reason.title, 500),
    updated_at: dbNow,
  };
  const onBroadcasts = reason.code === unpaid && reason.reportedAt !== null;
  const isNotOver =
    reason.reportedAt === null
      ? {}
      : { [Op.or]: [{ resumed_at: null }, { resumed_at: { [Op.lt]: endOf(reason.reportedAt) } }] };
  const isNews = reason.code === unpaid && !(await isPaymentRefused(ctx));
  const [stopped] = onBroadcasts
    ? await of(ctx, BusinessAccount).update(
        { payment_refused_at: dbNow, updated_at: dbNow },
        { where: { id: reason.businessAccountId, payment_refused_at: null, ...isNotOver } },
      )
    : onNumber
      ? await of(ctx, PhoneNumber).update(stop, { where: { id: reason.numberId, stopped_at: null, ...isNotOver } })
      : await of(ctx, BusinessAccount).update(stop, {
          where: { id: reason.businessAccountId, stopped_at: null, ...isNotOver },
        });
  if (stopped === 0) return;
  if (isNews)
    await recordEvent(ctx, {
      subjectType: 'workspace',
      subjectId: ctx.workspaceId,
      kind: 'payment_refused',
      data: { code: reason.code, title: reason.title, business_account_id: reason.businessAccountId },
    });
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
    onBroadcasts
      ? 'the platform does not deliver what is not paid for; broadcasts wait until `sync` lifts the stop'
      : 'the platform refuses to send; messages wait until `sync` lifts the stop, or their time is over',
  );
}

/** Returns the end of the second that a status names: it carries whole ones. */
const endOf = (at: Date): Date => new Date(at.getTime() + 1_000);

/** Asks the workers to read an account again soon; several requests lead to one read that begins after the last. */
export async function requestSync(ctx: Ctx, businessAccountId: number): Promise<void> {
  await of(ctx, ctx.runtime.db.models.BusinessAccount).update(
    { resync_at: dbNow },
    { where: { id: businessAccountId } },
  );
}

/** Counts the stopped accounts and numbers of all workspaces, for the metrics. */
export async function countStoppedAnywhere(runtime: Runtime): Promise<{ accounts: number; numbers: number }> {
  const { BusinessAccount, PhoneNumber } = runtime.db.models;
  const where = { stopped_at: { [Op.ne]: null } };
  return {
    accounts: await BusinessAccount.count({ where: { [Op.or]: [where, { payment_refused_at: { [Op.ne]: null } }] } }),
    numbers: await PhoneNumber.count({ where }),
  };
}
