import { col, Op } from 'sequelize';
import type { PhoneNumberRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { joined, recordsOf } from '../../../core/db/scoped';
import { invalidField, invalidPk } from '../../../core/http/errors';
import { reason } from '../reasons';

/** How a sender names the phone number. */
export interface NumberChoice {
  readonly msgapp_business_account_id?: string | null | undefined;
  readonly phone_number_id?: string | null | undefined;
}

type SendingNumber = Pick<PhoneNumberRow, 'id' | 'phone_number_id' | 'business_account_id' | 'display_phone_number'>;

/** The numbers that a choice leaves, and the one that it comes down to, where it does. */
export interface NumberPick {
  readonly picked: SendingNumber | null;
  readonly candidates: readonly SendingNumber[];
}

/**
 * Narrows the workspace's numbers to the one to send from: the named one, the only one of the named account (or of the
 * workspace, where none is named), or else `lastSpokenId`, the one through which the conversation last spoke. Throws
 * the 400 of a name that the workspace does not have.
 */
export async function narrowNumbers(ctx: Ctx, choice: NumberChoice, lastSpokenId: number | null): Promise<NumberPick> {
  const rows = await recordsOf<SendingNumber & { account_id: string }>(ctx, ctx.runtime.db.models.PhoneNumber, {
    attributes: [
      ...['id', 'phone_number_id', 'business_account_id', 'display_phone_number'],
      [col('account.account_id'), 'account_id'],
    ],
    where: { status: { [Op.ne]: 'DELETED' } },
    include: [joined('account', true)],
    order: ['id'],
  });
  const account = choice.msgapp_business_account_id;
  if (choice.phone_number_id) {
    const named = rows.find((row) => row.phone_number_id === choice.phone_number_id);
    if (!named) throw invalidPk('phone_number_id', choice.phone_number_id);
    if (account && named.account_id !== account) throw invalidPk('msgapp_business_account_id', account);
    return { picked: named, candidates: [named] };
  }
  const candidates = account ? rows.filter((row) => row.account_id === account) : rows;
  if (account && candidates.length === 0) throw invalidPk('msgapp_business_account_id', account);
  const only = candidates.length === 1 ? candidates[0] : undefined;
  return { picked: only ?? candidates.find((row) => row.id === lastSpokenId) ?? null, candidates };
}

/** Returns the chosen number. Throws a 400 that asks for a choice when there are several. */
export function requireNumber({ picked, candidates }: NumberPick): SendingNumber {
  if (picked) return picked;
  throw invalidField(
    'phone_number_id',
    candidates.length === 0 ? 'This workspace has no phone number yet.' : reason('required'),
  );
}
