import { col, literal, Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { joined, recordsOf } from '../../../core/db/scoped';
import { stoppedCodeSql } from '../accounts/stops';
import type { PhoneNumberRecord } from './serializer';

/** Lists the phone numbers of the workspace, except those that the upstream no longer has. */
export function listPhoneNumbers(ctx: Ctx): Promise<PhoneNumberRecord[]> {
  return recordsOf<PhoneNumberRecord>(ctx, ctx.runtime.db.models.PhoneNumber, {
    attributes: [
      ...['id', 'business_account_id', 'phone_number_id', 'display_phone_number', 'verified_name', 'quality_rating'],
      ...['code_verification_status', 'messaging_limit_tier', 'business_username', 'business_username_status'],
      [col('account.account_id'), 'account_id'],
      [literal(stoppedCodeSql('"PhoneNumber"."id"')), 'stopped_code'],
    ],
    where: { status: { [Op.ne]: 'DELETED' } },
    include: [joined('account', true)],
    order: ['id'],
  });
}
