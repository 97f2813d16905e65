import type { IdentityMoveRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { recordEvent } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import { lineOf, spellingsOf } from '../../../core/phones';
import { addAliases, forgetAlias } from '../../resources/contacts/aliases';
import { detachPhone, findHolders, turnTo, type Holder } from '../../resources/contacts/identityHolders';
import type { Identity } from '../../resources/contacts/identity';
import { lockIdentities } from '../../resources/contacts/locks';
import { replaceIdentity } from '../../resources/contacts/rows';
import { mergeContacts } from './merge';

/** A change of phone or bsuid that the upstream announces (upstream 2.8). */
interface Move {
  readonly old: Identity;
  readonly next: Identity;
  readonly at: Date;
}

/**
 * Re-points a contact to its new phone or bsuid: never a second contact. A change that arrives before the contact is
 * known is kept until it is. Returns the contact's id, or null while it is not known.
 */
export async function moveIdentity(ctx: Ctx, move: Move): Promise<number | null> {
  const { old, next, at } = move;
  await lockIdentities(ctx, [old.phone, old.bsuid, next.phone, next.bsuid]);
  const before = await holdersAsOne(ctx, old, at);
  const after = await holdersAsOne(ctx, next, at);

  // The upstream's own id is more reliable than a number, which may belong to another person by now.
  const mover = before.byBsuid ?? (samePerson(before.byPhone, move) ? before.byPhone : undefined);
  let target = after.byBsuid;
  if (!target && after.byPhone && after.byPhone.id !== mover?.id) {
    if (after.byPhone.bsuid === null || next.bsuid === null) target = after.byPhone;
    else if (after.byPhone.identity_at === null || after.byPhone.identity_at < at)
      await detachPhone(ctx, after.byPhone, at);
  }
  if (!mover && !target) {
    await ctx.runtime.db.models.IdentityMove.create({
      workspace_id: ctx.workspaceId,
      old_phone: old.phone,
      old_bsuid: old.bsuid,
      new_phone: next.phone,
      new_bsuid: next.bsuid,
      moved_at: at,
    });
    return null;
  }

  const id =
    mover && target && mover.id !== target.id ? await mergeContacts(ctx, mover.id, target.id) : (mover ?? target)?.id;
  if (id === undefined) throw new Error('no contact has this identity');

  // What changes is the other number of the person: the present one stays theirs.
  if (mover && mover.other_phone !== null && (mover.identity_at === null || mover.identity_at <= at))
    await turnTo(ctx, { ...mover, id }, old, at);
  await repoint(ctx, id, move);
  await recordEvent(ctx, {
    subjectType: 'contact',
    subjectId: id,
    kind: 'identity_changed',
    data: { phone_changed: next.phone !== null, bsuid_changed: next.bsuid !== null },
  });

  // A later change may have come first, and waited for this one.
  return applyPendingMove(ctx, id, next, at);
}

/**
 * Returns who has an identity that the announcement names as one person's. A person who was known by the number in one
 * row and by the user id in another is one contact from now on, as when a message names both.
 */
async function holdersAsOne(
  ctx: Ctx,
  identity: Identity,
  at: Date,
): Promise<{ byPhone: Holder | undefined; byBsuid: Holder | undefined }> {
  const found = await findHolders(ctx, identity, at);
  const { byPhone, byBsuid } = found;
  const apart =
    byPhone &&
    byBsuid &&
    byPhone.id !== byBsuid.id &&
    !byPhone.by_old_phone &&
    byPhone.bsuid === null &&
    byBsuid.phone === null;
  if (!apart) return found;

  await mergeContacts(ctx, byPhone.id, byBsuid.id);
  return findHolders(ctx, identity, at);
}

function samePerson(holder: Holder | undefined, move: Move): boolean {
  return (
    holder !== undefined &&
    (holder.bsuid === null ||
      move.old.bsuid === null ||
      holder.bsuid === move.old.bsuid ||
      holder.bsuid === move.next.bsuid ||
      holder.by_old_phone)
  );
}

/** Writes the new identity where no newer one is known, and lets the old one answer. */
async function repoint(ctx: Ctx, id: number, { old, next, at }: Move): Promise<void> {
  const row = await of(ctx, ctx.runtime.db.models.Contact).findOne({
    attributes: ['phone', 'bsuid', 'receiver_id', 'identity_at'],
    where: { id },
    raw: true,
  });
  if (!row) throw new Error('a contact vanished while it was changed');

  const aliases: (readonly ['receiver_id' | 'bsuid' | 'phone', string, Date?])[] = [];
  const newest = row.identity_at === null || row.identity_at <= at;
  // Without a number to share, the old one is not this person's any more.
  const phone = newest ? next.phone : row.phone;
  const bsuid = newest ? (next.bsuid ?? (phone === null ? row.bsuid : null)) : row.bsuid;
  for (const former of [row.bsuid, next.bsuid])
    if (former !== null && former !== bsuid) aliases.push(['bsuid', former]);
  const had = [old.phone, old.bsuid, row.phone, row.bsuid].some(
    (value) => value !== null && lineOf(value) === lineOf(row.receiver_id),
  );
  const receiverId = had ? (phone ?? bsuid ?? row.receiver_id) : row.receiver_id;
  if (receiverId !== row.receiver_id) aliases.push(['receiver_id', row.receiver_id]);

  await replaceIdentity(ctx, id, { phone, bsuid, receiverId, at });
  if (bsuid !== null) await forgetAlias(ctx, 'bsuid', bsuid);
  if (old.bsuid !== null && old.bsuid !== bsuid) aliases.push(['bsuid', old.bsuid]);
  if (old.phone !== null && old.phone !== phone) aliases.push(['phone', old.phone, at], ['receiver_id', old.phone]);
  await addAliases(ctx, id, aliases);
}

/** Applies a change that was announced before the contact was known; returns the id of the contact as it is then. */
export async function applyPendingMove(ctx: Ctx, id: number, identity: Identity, at: Date): Promise<number> {
  // The oldest change that waits is taken, by whichever of several takers comes first.
  const pending = await ctx.runtime.db.row<IdentityMoveRow>(
    `DELETE FROM identity_moves WHERE id = (
       SELECT id
       FROM identity_moves
       WHERE workspace_id = $workspaceId AND moved_at >= $at
         AND (old_bsuid = $bsuid::text
           OR (old_phone = ANY($phones::text[])
             AND (old_bsuid IS NULL OR $bsuid::text IS NULL OR old_bsuid = $bsuid::text)))
       ORDER BY moved_at, id LIMIT 1)
     RETURNING *`,
    {
      workspaceId: ctx.workspaceId,
      phones: identity.phone === null ? [] : spellingsOf(identity.phone),
      bsuid: identity.bsuid,
      at,
    },
  );
  if (!pending) return id;

  const moved = await moveIdentity(ctx, {
    old: { phone: pending.old_phone, bsuid: pending.old_bsuid },
    next: { phone: pending.new_phone, bsuid: pending.new_bsuid },
    at: pending.moved_at,
  });
  return moved ?? id;
}
