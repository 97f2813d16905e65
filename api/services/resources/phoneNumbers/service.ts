import type { Ctx } from '../../../core/context';
import { stoppedCodeSql } from '../accounts/stops';
import type { PhoneNumberRecord } from './serializer';

/**
 * Lists the phone numbers of the workspace, but for those that the upstream no longer has. SQL: with their accounts.
 */
export async function listPhoneNumbers(ctx: Ctx): Promise<PhoneNumberRecord[]> {
  return ctx.runtime.db.rows<PhoneNumberRecord>(
    `SELECT p.id, p.business_account_id, p.phone_number_id, p.display_phone_number, p.verified_name,
       p.quality_rating, p.code_verification_status, p.messaging_limit_tier,
       p.business_username, p.business_username_status, a.account_id,
       ${stoppedCodeSql('p.id')} AS stopped_code
     FROM phone_numbers p
     JOIN business_accounts a ON a.id = p.business_account_id AND a.workspace_id = p.workspace_id
     WHERE p.workspace_id = $workspaceId AND p.status <> 'DELETED'
     ORDER BY p.id`,
    { workspaceId: ctx.workspaceId },
  );
}
