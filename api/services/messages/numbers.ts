import type { PhoneNumberRow } from '../../../models';
import type { Ctx } from '../../core/context';
import { invalidField, invalidPk } from '../../core/errors';

/** How a sender names the phone number (contract C6). */
export interface NumberChoice {
  readonly msgapp_business_account_id?: string | null | undefined;
  readonly phone_number_id?: string | null | undefined;
}

export type SendingNumber = Pick<PhoneNumberRow, 'id' | 'phone_number_id' | 'business_account_id'>;

/**
 * The number to send from: the named one; within a named account, or where nothing is named, the conversation's last
 * one. Without a name a workspace with several numbers and no last one is asked to say which. Throws 400.
 */
export async function pickNumber(ctx: Ctx, choice: NumberChoice, lastNumberId: number | null): Promise<SendingNumber> {
  const rows = await ctx.runtime.db.rows<SendingNumber & { account_id: string }>(
    `SELECT p.id, p.phone_number_id, p.business_account_id, a.account_id FROM phone_numbers p JOIN business_accounts a ON a.id = p.business_account_id
     WHERE p.workspace_id = $workspaceId AND p.status <> 'DELETED' ORDER BY p.id`,
    { workspaceId: ctx.workspaceId },
  );
  if (choice.phone_number_id) {
    const named = rows.find((row) => row.phone_number_id === choice.phone_number_id);
    if (!named) throw invalidPk('phone_number_id', choice.phone_number_id);
    if (choice.msgapp_business_account_id && named.account_id !== choice.msgapp_business_account_id)
      throw invalidPk('msgapp_business_account_id', choice.msgapp_business_account_id);
    return named;
  }
  const candidates = choice.msgapp_business_account_id
    ? rows.filter((row) => row.account_id === choice.msgapp_business_account_id)
    : rows;
  if (choice.msgapp_business_account_id && candidates.length === 0)
    throw invalidPk('msgapp_business_account_id', choice.msgapp_business_account_id);
  const last = candidates.find((row) => row.id === lastNumberId);
  const picked = last ?? (choice.msgapp_business_account_id || candidates.length === 1 ? candidates[0] : undefined);
  if (!picked)
    throw invalidField(
      'msgapp_business_account_id',
      rows.length === 0 ? 'This workspace has no phone number yet.' : 'This field is required.',
    );
  return picked;
}
