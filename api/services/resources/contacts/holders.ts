import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { recordEvent } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/stored';
import type { Identity } from './identity';
import { contactColumns, type ContactView } from './serializer';

/** A contact with the times that decide which of two events is the newer. */
export type Holder = ContactView & {
  readonly identity_at: Date | null;
  readonly profile_name_at: Date | null;
  readonly username_at: Date | null;
  /** Found by a number or id that it had before, not by its present one. */
  readonly by_phone: boolean;
  readonly by_old_phone: boolean;
  readonly by_bsuid: boolean;
};

/** Returns who has the phone and who the bsuid of an identity, as it was at `at`; both rows are locked. */
export async function findHolders(
  ctx: Ctx,
  identity: Identity,
  at: Date,
): Promise<{ byPhone: Holder | undefined; byBsuid: Holder | undefined }> {
  const rows = await ctx.runtime.db.rows<Holder>(
    // All ways to a person in one round trip, each by its own index: it is asked for every message that comes in.
    `WITH former AS (
       SELECT contact_id, kind
       FROM contact_aliases
       WHERE workspace_id = $workspaceId
         AND ((kind = 'bsuid' AND value = $bsuid::text)
           OR (kind = 'phone' AND value = $phone::text AND (valid_until IS NULL OR valid_until > $at)))
     )
     SELECT c.id, ${contactColumns}, c.created_at, c.updated_at, c.identity_at, c.profile_name_at, c.username_at,
       coalesce(c.phone = $phone::text, false) AS by_phone,
       EXISTS (SELECT 1 FROM former f WHERE f.contact_id = c.id AND f.kind = 'phone') AS by_old_phone,
       coalesce(c.bsuid = $bsuid::text, false)
         OR EXISTS (SELECT 1 FROM former f WHERE f.contact_id = c.id AND f.kind = 'bsuid') AS by_bsuid
     FROM contacts c
     WHERE ${ofWorkspace('c.workspace_id')} AND c.id IN (
       SELECT id FROM contacts WHERE phone = $phone::text AND ${ofWorkspace('workspace_id')}
       UNION ALL SELECT id FROM contacts WHERE bsuid = $bsuid::text AND ${ofWorkspace('workspace_id')}
       UNION ALL SELECT contact_id FROM former)
     ORDER BY c.id
     FOR UPDATE`,
    { workspaceId: ctx.workspaceId, phone: identity.phone, bsuid: identity.bsuid, at },
  );

  // Before the change of number the phone belonged to the former holder, even if another contact has it now.
  return {
    byPhone: rows.find((row) => row.by_old_phone) ?? rows.find((row) => row.by_phone),
    byBsuid: rows.find((row) => row.by_bsuid),
  };
}

/**
 * Takes a number that now is another person's away from the locked contact who had it; the bsuid names the contact from
 * now on.
 */
export async function detachPhone(ctx: Ctx, holder: Holder, at: Date): Promise<void> {
  await of(ctx, ctx.runtime.db.models.Contact).update(
    {
      phone: null,
      ...(holder.receiver_id === holder.phone && holder.bsuid !== null ? { receiver_id: holder.bsuid } : {}),
      updated_at: dbNow,
    },
    { where: { id: holder.id } },
  );
  await recordEvent(ctx, {
    subjectType: 'contact',
    subjectId: holder.id,
    kind: 'phone_reassigned',
    data: { at: at.toISOString() },
  });
}
