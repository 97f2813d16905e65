import { Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';

/** The platform's code for a message that was not paid for. */
export const unpaid = 131042;

/** Accounts that are not paid for: messages are refused when they are sent, or accepted and not delivered. */
const isRefused = { [Op.or]: [{ payment_refused_at: { [Op.ne]: null } }, { stopped_code: unpaid }] };

/** An account that is not paid for. */
interface RefusedAccount {
  readonly id: number;
  readonly account_id: string;
  readonly name: string;
  readonly payment_refused_at: Date | null;
  readonly stopped_at: Date | null;
}

/** What subscribers are told of it. */
export const { schema: paymentRefusedShape, serialize: paymentRefusedItem } = shapeOf<RefusedAccount>(
  'PaymentRefused',
).with({
  id: wire.integer(),
  msgapp_business_account_id: from(wire.text("The platform's id of the account."), ({ account_id: id }) => id),
  name: wire.text(),
  code: from(wire.integer(), () => unpaid),
  refused_at: from(
    {
      ...wire.nullable(wire.datetime()),
      description: 'Since when it holds: all messages that cost something are lost; null: it is over.',
    },
    (account) => account.payment_refused_at ?? account.stopped_at,
  ),
});

/** Returns accounts by their ids, those that exist. */
export async function refusedAccounts(ctx: Ctx, ids: readonly number[]): Promise<Map<number, RefusedAccount>> {
  const rows = await of(ctx, ctx.runtime.db.models.BusinessAccount).findAll({
    attributes: ['id', 'account_id', 'name', 'payment_refused_at', 'stopped_at'],
    where: { id: [...ids] },
    raw: true,
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Returns whether the platform delivers nothing that costs for an account of the workspace, because its payment was
 * refused.
 */
export async function isPaymentRefused(ctx: Ctx): Promise<boolean> {
  return (await of(ctx, ctx.runtime.db.models.BusinessAccount).count({ where: isRefused })) > 0;
}

/** Counts such accounts of all workspaces, for the metrics. */
export async function countUnpaidAnywhere(runtime: Runtime): Promise<number> {
  return runtime.db.models.BusinessAccount.count({ where: isRefused });
}
