import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db';
import { phoneDigits } from './identity';
import { lockIdentities } from './locks';

/** Handles that shall keep answering as the contact; a handle that somebody else had is taken over. */
export async function addAliases(
  ctx: Ctx,
  contactId: number,
  aliases: readonly (readonly [kind: 'receiver_id' | 'id' | 'bsuid' | 'phone', value: string, validUntil?: Date])[],
): Promise<void> {
  if (aliases.length === 0) return;
  await ctx.runtime.db.rows(
    `INSERT INTO contact_aliases AS a (workspace_id, kind, value, contact_id, valid_until)
     SELECT DISTINCT ON (n.kind, n.value) $workspaceId, n.kind, n.value, $contactId, n."validUntil" FROM jsonb_to_recordset($aliases::jsonb) AS n(kind text, value text, "validUntil" timestamptz)
     ON CONFLICT (workspace_id, kind, value) DO UPDATE SET contact_id = excluded.contact_id, valid_until = excluded.valid_until, created_at = now()
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

/** The platform knows some numbers under other digits than they are dialled by (upstream 1.1): both then mean the contact. */
export async function adoptPlatformPhone(
  ctx: Ctx,
  contactId: number,
  dialled: string,
  platform: string,
): Promise<void> {
  const phone = phoneDigits(platform);
  if (phone === null || phone === dialled) return;
  await lockIdentities(ctx, [dialled, phone]);
  const changed = await ctx.runtime.db.row(
    `UPDATE contacts c SET phone = $phone::text, updated_at = now() WHERE c.workspace_id = $workspaceId AND c.id = $contactId AND c.phone = $dialled
       AND NOT EXISTS (SELECT 1 FROM contacts o WHERE o.phone = $phone::text AND ${ofWorkspace('o.workspace_id')}) RETURNING c.id`,
    { workspaceId: ctx.workspaceId, contactId, dialled, phone },
  );
  if (changed)
    await addAliases(ctx, contactId, [
      ['phone', dialled],
      ['receiver_id', dialled],
    ]);
}
