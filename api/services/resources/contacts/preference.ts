import type { ContactRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { recordEvent } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import { lineOf } from '../../../core/phones';
import { keyedHash } from '../../../core/secrets';
import type { Identity } from './identity';
import { reason } from '../reasons';

export type OptOutSource = NonNullable<ContactRow['marketing_opt_out_source']>;

/** Why a file, macro or answer to a webhook does not opt a customer in. */
export const ownDecision = reason('ownDecision');

/** Returns whether an opt-out was the customer's own word, so that no file or program takes it back. */
export function isOwnDecision(source: OptOutSource | null): boolean {
  return source === 'keyword' || source === 'platform';
}

type OptOut = Pick<ContactRow, 'marketing_opt_out_at' | 'marketing_opt_out_source'>;

/**
 * Returns a function that makes the keyed hashes of an identity, under which the opt-out of an erased contact is
 * remembered.
 */
export async function identityHashing(
  ctx: Pick<Ctx, 'runtime' | 'workspaceId'>,
): Promise<(identity: Identity) => Buffer[]> {
  const key = await ctx.runtime.markKey.open();
  return ({ phone, bsuid }) =>
    [phone, bsuid]
      .filter((value) => value !== null)
      .map((value) => keyedHash(key, `${ctx.workspaceId}:${lineOf(value)}`));
}

/**
 * Records a customer's or the platform's decision about marketing messages at `at`. The newest decision counts, in
 * whatever order the events arrive; of two in the same second the opt-out counts. Returns whether the contact's state
 * changed.
 */
export async function applyPreference(
  ctx: Ctx,
  contactId: number,
  optOut: boolean,
  at: Date,
  source: OptOutSource,
): Promise<boolean> {
  // A guarded update: the row itself decides which word is the newest.
  const row = await ctx.runtime.db.row<{ before: boolean; phone: string | null; bsuid: string | null }>(
    `UPDATE contacts c SET
       marketing_opt_out = $optOut,
       marketing_preference_at = $at,
       marketing_opt_out_at = CASE WHEN $optOut THEN $at END,
       marketing_opt_out_source = CASE WHEN $optOut THEN $source::text END,
       updated_at = now()
     FROM (
       SELECT id, marketing_opt_out AS before
       FROM contacts
       WHERE workspace_id = $workspaceId AND id = $contactId
       FOR UPDATE
     ) old
     WHERE c.workspace_id = $workspaceId AND c.id = old.id
       AND (c.marketing_preference_at IS NULL OR c.marketing_preference_at < $at
         OR (c.marketing_preference_at = $at AND $optOut
           AND (NOT c.marketing_opt_out OR c.marketing_opt_out_source > $source::text)))
     RETURNING old.before, c.phone, c.bsuid`,
    { workspaceId: ctx.workspaceId, contactId, optOut, at, source },
  );
  if (!row) return false;

  // A decision of the customer replaces the opt-out that was remembered of an erased contact.
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

/** Removes the remembered opt-outs of identities. */
export async function forgetMarks(ctx: Ctx, ...identities: readonly Identity[]): Promise<void> {
  const hashesOf = await identityHashing(ctx);
  await of(ctx, ctx.runtime.db.models.OptOutMark).destroy({ where: { identity_hash: identities.flatMap(hashesOf) } });
}

/** Remembers the opt-out of a contact that is being erased, under keyed hashes of its phones and user ids. */
export async function rememberOptOut(ctx: Ctx, contact: OptOut, identities: readonly Identity[]): Promise<void> {
  const hashesOf = await identityHashing(ctx);
  const hashes = new Map(identities.flatMap(hashesOf).map((hash) => [hash.toString('hex'), hash]));
  await ctx.runtime.db.models.OptOutMark.bulkCreate(
    [...hashes.values()].map((hash) => ({
      workspace_id: ctx.workspaceId,
      identity_hash: hash,
      opted_out_at: contact.marketing_opt_out_at ?? ctx.runtime.clock.now(),
      source: contact.marketing_opt_out_source ?? 'api',
    })),
    { updateOnDuplicate: ['opted_out_at', 'source'] },
  );
}

/** Applies the opt-out that is remembered of an identity which a contact has just got. */
export async function applyMarks(ctx: Ctx, contactId: number, identity: Identity): Promise<void> {
  const hashesOf = await identityHashing(ctx);
  const mark = await of(ctx, ctx.runtime.db.models.OptOutMark).findOne({
    attributes: ['opted_out_at', 'source'],
    where: { identity_hash: hashesOf(identity) },
    order: [['opted_out_at', 'DESC']],
    raw: true,
  });
  if (mark) await applyPreference(ctx, contactId, true, mark.opted_out_at, mark.source as OptOutSource);
}
