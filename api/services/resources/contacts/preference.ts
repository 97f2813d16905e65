import type { Ctx } from '../../../core/context';
import { recordEvent } from '../../../core/events';
import { keyedHash, subkey } from '../../../core/secrets';
import type { Identity } from './identity';

export type OptOutSource = 'keyword' | 'platform' | 'api' | 'member';

/** Hashes of one value under every key of the installation: a mark that an earlier key made is found, too. */
export function markHashes(ctx: Pick<Ctx, 'runtime' | 'workspaceId'>, value: string): Buffer[] {
  return ctx.runtime.config.secretsKeys.map((key) =>
    keyedHash(subkey(key, 'opt-out marks'), `${ctx.workspaceId}:${value}`),
  );
}

/** Keyed hashes under which an erased contact's opt-out is remembered (contract 5). */
export function identityHashes(ctx: Ctx, identity: Identity): Buffer[] {
  return [identity.phone, identity.bsuid].filter((value) => value !== null).flatMap((value) => markHashes(ctx, value));
}

/**
 * What a customer or the platform said of marketing messages at `at`. The newest word counts, whatever order the events
 * come in; of two words of the same second the opt-out counts. Gives whether the contact's state changed.
 */
export async function applyPreference(
  ctx: Ctx,
  contactId: number,
  optOut: boolean,
  at: Date,
  source: OptOutSource,
): Promise<boolean> {
  const row = await ctx.runtime.db.row<{ before: boolean; phone: string | null; bsuid: string | null }>(
    `UPDATE contacts c SET marketing_opt_out = $optOut, marketing_preference_at = $at,
       marketing_opt_out_at = CASE WHEN $optOut THEN $at END, marketing_opt_out_source = CASE WHEN $optOut THEN $source::text END, updated_at = now()
     FROM (SELECT id, marketing_opt_out AS before FROM contacts WHERE workspace_id = $workspaceId AND id = $contactId FOR UPDATE) old
     WHERE c.workspace_id = $workspaceId AND c.id = old.id
       AND (c.marketing_preference_at IS NULL OR c.marketing_preference_at < $at
         OR (c.marketing_preference_at = $at AND $optOut AND (NOT c.marketing_opt_out OR c.marketing_opt_out_source > $source::text)))
     RETURNING old.before, c.phone, c.bsuid`,
    { workspaceId: ctx.workspaceId, contactId, optOut, at, source },
  );
  if (!row) return false;
  // A word of the customer's own replaces what was remembered of an earlier, erased contact.
  if (!optOut) await forgetMarks(ctx, row);
  if (row.before === optOut) return false;
  await recordEvent(ctx, {
    subjectType: 'contact',
    subjectId: contactId,
    kind: optOut ? 'opted_out' : 'opted_in',
    changes: { marketing_opt_out: { from: row.before, to: optOut } },
    data: { source },
  });
  return true;
}

/** Removes the remembered opt-outs of an identity. */
export async function forgetMarks(ctx: Ctx, identity: Identity): Promise<void> {
  await ctx.runtime.db.rows(
    'DELETE FROM opt_out_marks WHERE workspace_id = $workspaceId AND identity_hash = ANY($hashes::bytea[])',
    { workspaceId: ctx.workspaceId, hashes: identityHashes(ctx, identity) },
  );
}

/** Applies the opt-out that is remembered of an identity which a contact has just got. */
export async function applyMarks(ctx: Ctx, contactId: number, identity: Identity): Promise<void> {
  const mark = await ctx.runtime.db.row<{ opted_out_at: Date; source: OptOutSource }>(
    'SELECT opted_out_at, source FROM opt_out_marks WHERE workspace_id = $workspaceId AND identity_hash = ANY($hashes::bytea[]) ORDER BY opted_out_at DESC LIMIT 1',
    { workspaceId: ctx.workspaceId, hashes: identityHashes(ctx, identity) },
  );
  if (mark) await applyPreference(ctx, contactId, true, mark.opted_out_at, mark.source);
}
