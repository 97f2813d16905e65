import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/stored';
import { phoneDigits } from './identity';
import { lockIdentities } from './locks';

/** Keeps handles answering as the contact; a handle that another contact had is taken over. */
export async function addAliases(
  ctx: Ctx,
  contactId: number,
  aliases: readonly (readonly [kind: 'receiver_id' | 'id' | 'bsuid' | 'phone', value: string, validUntil?: Date])[],
): Promise<void> {
  if (aliases.length === 0) return;
  await ctx.runtime.db.rows(
    // A guarded upsert: of two words about a former number the one that is valid for longer stays.
    `INSERT INTO contact_aliases AS a (workspace_id, kind, value, contact_id, valid_until)
     SELECT DISTINCT ON (n.kind, n.value) $workspaceId, n.kind, n.value, $contactId, n."validUntil"
     FROM jsonb_to_recordset($aliases::jsonb) AS n(kind text, value text, "validUntil" timestamptz)
     ON CONFLICT (workspace_id, kind, value)
       DO UPDATE SET contact_id = excluded.contact_id, valid_until = excluded.valid_until, created_at = now()
     WHERE a.valid_until IS NULL OR excluded.valid_until IS NULL OR excluded.valid_until >= a.valid_until`,
    {
      workspaceId: ctx.workspaceId,
      contactId,
      aliases: JSON.stringify(
        aliases.map(([kind, value, validUntil]) => ({ kind, value, validUntil: validUntil ?? null })),
      ),
    },
  );
}

/** Ends an alias: the value is a contact's present one again. */
export async function forgetAlias(ctx: Ctx, kind: 'bsuid', value: string): Promise<void> {
  await of(ctx, ctx.runtime.db.models.ContactAlias).destroy({ where: { kind, value } });
}

/**
 * Adopts the digits under which the platform knows a number that is dialled otherwise (upstream 1.1): both then mean
 * the contact.
 */
export async function adoptPlatformPhone(
  ctx: Ctx,
  contactId: number,
  dialled: string,
  platform: string,
): Promise<void> {
  const phone = phoneDigits(platform);
  if (phone === null || phone === dialled) return;

  await lockIdentities(ctx, [dialled, phone]);
  // Giving a contact a phone needs the lock of that phone: a phone that is free here stays free until the transaction
  // ends.
  const contacts = of(ctx, ctx.runtime.db.models.Contact);
  if ((await contacts.count({ where: { phone } })) > 0) return;
  const [changed] = await contacts.update({ phone, updated_at: dbNow }, { where: { id: contactId, phone: dialled } });
  if (changed > 0)
    await addAliases(ctx, contactId, [
      ['phone', dialled],
      ['receiver_id', dialled],
    ]);
}
