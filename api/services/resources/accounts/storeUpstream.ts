import { Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { columnList, differsFromNew } from '../../../core/db/upserts';
import type { UpstreamNumber } from './readUpstream';
import { readMark } from './syncs';

/**
 * Codes that refuse the access token: a successful read with it shows that the refusal is over. Those that refuse it a
 * permission (3, 10, 200 to 299) are none: one that may read may still not send (upstream 1.6).
 */
const tokenRefusals = [0, 104, 190];

/** The columns of a number that every read from the upstream renews. */
const numberColumns = [
  'business_account_id',
  'display_phone_number',
  'verified_name',
  'quality_rating',
  'code_verification_status',
  'messaging_limit_tier',
  'throughput_mps',
  'status',
  'business_username',
  'business_username_status',
];

/** Columns of which events tell, too, with the time of the newest one. */
const toldAt: Readonly<Record<string, string>> = {
  messaging_limit_tier: 'limit_at',
  business_username: 'username_at',
  business_username_status: 'username_at',
};

/** SQL: the value of a column after a read: what an event told after the read had begun stays. */
function readValue(column: string): string {
  const at = toldAt[column];
  return at === undefined
    ? `excluded.${column}`
    : `CASE WHEN p.${at} > ${readMark} THEN p.${column} ELSE excluded.${column} END`;
}

/**
 * Writes the numbers of an account as they were read at `readAt`; those that the upstream no longer has are marked
 * DELETED.
 */
export async function storeNumbers(
  ctx: Ctx,
  businessAccountPk: number,
  numbers: readonly UpstreamNumber[],
  readAt: Date,
): Promise<void> {
  const { db } = ctx.runtime;
  const ids = numbers.map((number) => number.phone_number_id);

  // A number belongs to one workspace (contract 7): one that another workspace holds is left where it is.
  await db.rows(
    `INSERT INTO phone_numbers AS p (workspace_id, phone_number_id, ${columnList(numberColumns)})
     SELECT $workspaceId, n.phone_number_id, $businessAccountPk, n.display_phone_number, n.verified_name,
       n.quality_rating, n.code_verification_status, n.messaging_limit_tier, n.throughput_mps, n.status,
       coalesce(n.business_username, k.business_username, ''),
       coalesce(n.business_username_status, k.business_username_status, '')
     FROM jsonb_to_recordset($numbers::jsonb) AS n(phone_number_id text, display_phone_number text, verified_name text,
       quality_rating text, code_verification_status text, messaging_limit_tier text, throughput_mps integer,
       status text, business_username text, business_username_status text)
     LEFT JOIN phone_numbers k ON k.phone_number_id = n.phone_number_id AND k.workspace_id = $workspaceId
     ON CONFLICT (phone_number_id) DO UPDATE
     SET (${columnList(numberColumns)}) = ROW(${numberColumns.map(readValue).join(', ')}), updated_at = now()
     WHERE p.workspace_id = excluded.workspace_id AND ${differsFromNew('p', numberColumns)}`,
    { workspaceId: ctx.workspaceId, businessAccountPk, readAt, numbers: JSON.stringify(numbers) },
  );
  await of(ctx, db.models.PhoneNumber).update(
    { status: 'DELETED', updated_at: dbNow },
    {
      where: {
        business_account_id: businessAccountPk,
        status: { [Op.ne]: 'DELETED' },
        phone_number_id: { [Op.notIn]: ids },
      },
    },
  );
  await warnOfForeign(ctx, ids);
}

/** Logs numbers that another workspace of the installation holds. */
async function warnOfForeign(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const foreign = await ctx.runtime.db.rows<{ phone_number_id: string }>(
    `SELECT phone_number_id FROM phone_numbers
     WHERE phone_number_id = ANY($ids::text[]) AND workspace_id <> $workspaceId`,
    { workspaceId: ctx.workspaceId, ids },
  );
  if (foreign.length === 0) return;
  ctx.logger.warn(
    { event: 'phone_number.foreign', phoneNumberIds: foreign.map((row) => row.phone_number_id) },
    'phone numbers belong to another workspace and were not taken',
  );
}

/**
 * Lets the account and its numbers send again: after a token refusal from before a read that went well, or `all` stops.
 * Returns whether there was one.
 */
export async function liftStops(ctx: Ctx, businessAccountPk: number, readAt: Date, all: boolean): Promise<boolean> {
  const { BusinessAccount, PhoneNumber } = ctx.runtime.db.models;
  const stopped = all
    ? { stopped_at: { [Op.ne]: null } }
    : { stopped_at: { [Op.lte]: readAt }, stopped_code: tokenRefusals };
  const resumed = { updated_at: dbNow, ...(all ? { resumed_at: readAt } : {}) };
  const lifted = { stopped_at: null, stopped_code: null, stopped_reason: null, ...resumed };

  const [numbers] = await of(ctx, PhoneNumber).update(lifted, {
    where: { business_account_id: businessAccountPk, ...stopped },
  });
  const [accounts] = await of(ctx, BusinessAccount).update(lifted, { where: { id: businessAccountPk, ...stopped } });
  const [paid] = all
    ? await of(ctx, BusinessAccount).update(
        { payment_refused_at: null, ...resumed },
        { where: { id: businessAccountPk, payment_refused_at: { [Op.ne]: null } } },
      )
    : [0];
  return numbers + accounts + paid > 0;
}
