import { cut } from '../../../core/text/cut';
import type { Ctx } from '../../../core/context';

/** Returns a text of the referral, cut to its column. */
function part(referral: Readonly<Record<string, unknown>>, key: string, max: number): string {
  const value = referral[key];
  return typeof value === 'string' ? cut(value, max) : '';
}

/** Records the ad that brought a contact: the first one by time, in whatever order the messages come (upstream 2.6). */
export async function recordReferral(
  ctx: Ctx,
  contactId: number,
  referral: Readonly<Record<string, unknown>>,
  at: Date,
): Promise<void> {
  // A guarded update: the row itself decides which referral was the first.
  await ctx.runtime.db.rows(
    `UPDATE contacts
     SET ctwa_clid = $clid, ctwa_source_id = $sourceId, ctwa_source_url = $sourceUrl, ctwa_headline = $headline,
       ctwa_referral_at = $at, updated_at = now()
     WHERE workspace_id = $workspaceId AND id = $contactId
       AND (ctwa_referral_at IS NULL OR ctwa_referral_at > $at
         OR (ctwa_referral_at = $at AND (ctwa_source_id, ctwa_clid) > ($sourceId::text, $clid::text)))`,
    {
      workspaceId: ctx.workspaceId,
      contactId,
      clid: part(referral, 'ctwa_clid', 1024),
      sourceId: part(referral, 'source_id', 255),
      sourceUrl: part(referral, 'source_url', 2048),
      headline: part(referral, 'headline', 1024),
      at,
    },
  );
}
