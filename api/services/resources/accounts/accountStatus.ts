import { literal, Op } from 'sequelize';
import type { BusinessAccountRow, PhoneNumberRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import { holdReasonSql, onHoldSql } from './fence';

/** A phone number with what keeps it from sending. */
interface NumberStanding extends Pick<
  PhoneNumberRow,
  | 'id'
  | 'business_account_id'
  | 'phone_number_id'
  | 'display_phone_number'
  | 'verified_name'
  | 'status'
  | 'quality_rating'
  | 'messaging_limit_tier'
  | 'stopped_code'
  | 'stopped_reason'
> {
  readonly is_held: boolean;
  readonly held_reason: string | null;
}

/** An account with its numbers. */
interface AccountStanding extends Pick<
  BusinessAccountRow,
  'id' | 'account_id' | 'name' | 'read_at' | 'stopped_code' | 'stopped_reason' | 'payment_refused_at'
> {
  readonly numbers: readonly NumberStanding[];
}

const stop = {
  stopped_code: wire.nullable(wire.integer("The platform's code that stops sending; null: it is not stopped.")),
  stopped_reason: wire.nullable(wire.text('What the platform said to it.')),
};

const { schema: numberShape, serialize: numberStanding } = shapeOf<NumberStanding>('NumberStanding').with({
  id: wire.integer(),
  phone_number_id: wire.text(),
  display_phone_number: wire.text(),
  verified_name: wire.text(),
  status: wire.text('As the platform calls it: CONNECTED, …'),
  quality_rating: wire.text('As the platform calls it: GREEN, YELLOW, RED, …'),
  messaging_limit_tier: wire.text('To how many people in a day broadcasts may go: TIER_250, …'),
  ...stop,
  is_held: { ...wire.boolean(), description: 'The operator holds what goes out by it.' },
  held_reason: wire.nullable(wire.text('Why, as the operator says.')),
});

/** An account of the list, with its numbers. */
export const { schema: accountStandingShape, serialize: accountStanding } = shapeOf<AccountStanding>(
  'AccountStanding',
).with({
  id: wire.integer(),
  msgapp_business_account_id: from(wire.text("The platform's id of the account."), ({ account_id: id }) => id),
  name: wire.text(),
  synced_at: from(
    { ...wire.nullable(wire.datetime()), description: 'When what is shown was read from the platform; null: never.' },
    ({ read_at: at }) => at,
  ),
  ...stop,
  payment_refused_at: {
    ...wire.nullable(wire.datetime()),
    description: 'Since when the platform delivers nothing that has to be paid for; null: it does.',
  },
  numbers: from({ ...wire.list(numberShape), description: 'Its phone numbers.' }, ({ numbers }) =>
    numbers.map(numberStanding),
  ),
});

/** Lists the accounts of the workspace with their numbers, except those that the platform no longer has. */
export async function listAccountStandings(ctx: Ctx): Promise<AccountStanding[]> {
  const { BusinessAccount, PhoneNumber } = ctx.runtime.db.models;
  const accounts = await of(ctx, BusinessAccount).findAll({
    attributes: ['id', 'account_id', 'name', 'read_at', 'stopped_code', 'stopped_reason', 'payment_refused_at'],
    order: ['id'],
    raw: true,
  });
  const numbers = (await of(ctx, PhoneNumber).findAll({
    attributes: [
      ...['id', 'business_account_id', 'phone_number_id', 'display_phone_number', 'verified_name', 'status'],
      ...['quality_rating', 'messaging_limit_tier', 'stopped_code', 'stopped_reason'],
      [literal(onHoldSql('"PhoneNumber"."id"')), 'is_held'],
      [literal(holdReasonSql('"PhoneNumber"."id"')), 'held_reason'],
    ],
    where: { status: { [Op.ne]: 'DELETED' } },
    order: ['id'],
    raw: true,
  })) as unknown as NumberStanding[];
  return accounts.map((account) => ({
    ...account,
    numbers: numbers.filter(({ business_account_id: id }) => id === account.id),
  }));
}
