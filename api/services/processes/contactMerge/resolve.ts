import { cut } from '../../../core/text/cut';
import type { Ctx } from '../../../core/context';
import { lineOf, otherSpelling } from '../../../core/phones';
import { addAliases } from '../../resources/contacts/aliases';
import { detachPhone, findHolders, turnTo, type Holder } from '../../resources/contacts/identityHolders';
import type { Identity } from '../../resources/contacts/identity';
import { lockIdentities } from '../../resources/contacts/locks';
import { applyMarks } from '../../resources/contacts/preference';
import { writeIdentity, writeNews, type Names } from '../../resources/contacts/rows';
import { contactColumns, type ContactView } from '../../resources/contacts/serializer';
import { insertContact } from '../../resources/contacts/insert';
import { findContactById } from '../../resources/contacts/service';
import { mergeContacts } from './merge';
import { applyPendingMove } from './moves';

/** The data in an inbound message about its sender, besides the identity. */
export interface SenderProfile {
  readonly name?: string;
  readonly username?: string;
  /** A new contact was already known to the phone's app: subscribers are not told of it. */
  readonly quiet?: boolean;
}

/**
 * Returns the contact of an identity, created where there is none: one person is one row, whichever of phone and bsuid
 * names them, in whichever spelling of its line. `namedAt` is the time of the platform's event that names it, and
 * spells it as sends have to; absent where a person does. Must run in a transaction; identities are locked in a fixed
 * order, so that two messages of a new customer at once make one contact.
 */
export async function resolveContact(
  ctx: Ctx,
  identity: Identity,
  profile: SenderProfile = {},
  namedAt?: Date,
): Promise<ContactView> {
  const at = namedAt ?? ctx.runtime.clock.now();
  await lockIdentities(ctx, [identity.phone, identity.bsuid]);
  const { byPhone, byBsuid } = await holdersOfLine(ctx, identity, at);
  if (!byPhone && !byBsuid) {
    const id = await insertContact(ctx, identity, {
      name: cut(profile.name ?? '', 255) || undefined,
      profile: { ...profile, at },
    });
    return findContactById(ctx, await applyPendingMove(ctx, id, identity, at));
  }

  const settled = await settle(ctx, identity, byPhone, byBsuid, at);
  const turns = namedAt !== undefined && settled.other_phone !== null && isNews(settled, namedAt);
  if (turns) await turnTo(ctx, settled, identity, at);
  const holder = turns ? await reload(ctx, settled.id) : settled;
  return learnProfile(ctx, namedAt ? await respell(ctx, holder, identity.phone) : holder, profile, at);
}

/** Returns who has an identity; two contacts that are one line, and not two user ids, are one from now on. */
async function holdersOfLine(
  ctx: Ctx,
  identity: Identity,
  at: Date,
): Promise<{ byPhone: Holder | undefined; byBsuid: Holder | undefined }> {
  const found = await findHolders(ctx, identity, at);
  const { byPhone, sameLine } = found;
  if (!byPhone || !sameLine) return found;
  const userIds = [byPhone.bsuid, sameLine.bsuid, identity.bsuid].filter((bsuid) => bsuid !== null);
  if (new Set(userIds).size > 1) return found;
  await mergeContacts(ctx, byPhone.id, sameLine.id);
  return findHolders(ctx, identity, at);
}

/** Keeps the spelling of a contact's line that the platform used last. */
async function respell(ctx: Ctx, holder: Holder, phone: string | null): Promise<Holder> {
  if (phone === null || holder.phone === null || phone === holder.phone || otherSpelling(phone) !== holder.phone)
    return holder;
  await writeIdentity(ctx, holder.id, { phone, bsuid: null }, null);
  return { ...holder, phone };
}

/**
 * Makes two contacts one where the platform's answer to a send tells that the number which was dialled is the line of
 * another one.
 */
export async function joinLine(ctx: Ctx, dialled: string, platform: string): Promise<void> {
  await lockIdentities(ctx, [dialled, platform]);
  const [first, second] = [await holderOf(ctx, dialled), await holderOf(ctx, platform)];
  if (!first || !second || first.id === second.id || (first.bsuid !== null && second.bsuid !== null)) return;
  const other = [first, second].find((holder) => holder.other_phone !== null);
  if (other) {
    await mergeContacts(ctx, first.id, second.id, other.id);
    return;
  }
  const id = await mergeContacts(ctx, first.id, second.id);
  await writeIdentity(ctx, id, { phone: platform, bsuid: null }, null);
  if (lineOf(dialled) === lineOf(platform)) return;
  await addAliases(ctx, id, [
    ['phone', dialled],
    ['receiver_id', dialled],
  ]);
}

async function holderOf(ctx: Ctx, phone: string): Promise<Holder | undefined> {
  return (await findHolders(ctx, { phone, bsuid: null }, ctx.runtime.clock.now())).byPhone;
}

/** Returns the one contact that an identity means, with what the event says of phone and bsuid written down. */
async function settle(
  ctx: Ctx,
  identity: Identity,
  byPhone: Holder | undefined,
  byBsuid: Holder | undefined,
  at: Date,
): Promise<Holder> {
  const known = byBsuid ?? byPhone;
  if (!known) throw new Error('no contact has this identity');
  if (identity.phone === null || identity.bsuid === null) return known;

  const news = known.identity_at === null || known.identity_at <= at;
  if (byBsuid && byPhone && byBsuid.id !== byPhone.id) {
    if (byPhone.other_phone !== null) {
      if (byPhone.other_bsuid === null && byBsuid.phone === null) {
        await mergeContacts(ctx, byPhone.id, byBsuid.id, byPhone.id);
        const found = await findHolders(ctx, identity, at);
        return settle(ctx, identity, found.byPhone, found.byBsuid, at);
      }
      if (!news) return byBsuid;
      await detachPhone(ctx, byPhone, at);
      return repair(ctx, byBsuid, identity, at);
    }
    if (byPhone.by_old_phone) return byBsuid;
    if (byPhone.bsuid === null && byBsuid.phone === null) {
      const id = await mergeContacts(ctx, byPhone.id, byBsuid.id);
      await writeIdentity(ctx, id, identity, at);
      return reload(ctx, id);
    }
    if (byPhone.bsuid === null || !news || !isNews(byPhone, at)) return byBsuid;
    await detachPhone(ctx, byPhone, at);
    return repair(ctx, byBsuid, identity, at);
  }

  if (byBsuid) {
    // A bsuid goes with its person: with another phone it is the newer event that tells which one counts.
    if (byBsuid.phone === identity.phone || byBsuid.by_old_phone) return touchIdentity(ctx, byBsuid, at);
    return news || byBsuid.phone === null ? repair(ctx, byBsuid, identity, at) : byBsuid;
  }

  if (!byPhone) throw new Error('no contact has this phone');
  // That it is the other number of the person says nothing where another user id goes with it.
  if (byPhone.by_old_phone && byPhone.other_bsuid === null) {
    await addAliases(ctx, byPhone.id, [['bsuid', identity.bsuid]]);
    return byPhone;
  }
  if (byPhone.bsuid === null) return repair(ctx, byPhone, identity, at);

  // A known phone with another bsuid and no announced change: the number belongs to another person now.
  const late = !isNews(byPhone, at);
  if (!late) await detachPhone(ctx, byPhone, at);
  const id = await insertContact(ctx, late ? { phone: null, bsuid: identity.bsuid } : identity, { profile: { at } });
  return reload(ctx, await applyPendingMove(ctx, id, identity, at));
}

/** Returns whether nothing as new as an event of this time has named the contact. */
export function isNews(holder: Pick<Holder, 'identity_at'>, at: Date): boolean {
  return holder.identity_at === null || holder.identity_at < at;
}

/** Writes phone and bsuid of an event that names both, and what is remembered of them. */
async function repair(ctx: Ctx, holder: Holder, identity: Identity, at: Date): Promise<Holder> {
  await writeIdentity(ctx, holder.id, identity, at);
  await applyMarks(ctx, holder.id, identity);
  return reload(ctx, holder.id);
}

async function touchIdentity(ctx: Ctx, holder: Holder, at: Date): Promise<Holder> {
  if (holder.by_phone && isNews(holder, at)) await writeNews(ctx, [{ id: holder.id, identityAt: at, names: null }]);
  return holder;
}

async function reload(ctx: Ctx, id: number): Promise<Holder> {
  // With a column that is computed from another table.
  const row = await ctx.runtime.db.row<Holder>(
    `SELECT c.id, ${contactColumns}, c.created_at, c.updated_at, c.identity_at, c.profile_name_at, c.username_at,
       true AS by_phone, false AS by_old_phone, true AS by_bsuid, NULL AS other_phone, NULL AS other_bsuid
     FROM contacts c
     WHERE c.workspace_id = $workspaceId AND c.id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw new Error('a contact vanished while it was changed');
  return row;
}

/** Takes over the display name and user name. */
async function learnProfile(ctx: Ctx, holder: Holder, profile: SenderProfile, at: Date): Promise<ContactView> {
  const names = namesAfter(holder, profile, at);
  if (!names) return holder;
  await writeNews(ctx, [{ id: holder.id, identityAt: null, names }]);
  return { ...holder, name: names.name, username: names.username };
}

/**
 * Returns a contact's names after an event, or null where it says nothing new: the newest word counts, and a name that
 * a person has set stays.
 */
export function namesAfter(
  holder: Pick<Holder, 'name' | 'username' | 'profile_name_at' | 'username_at'>,
  profile: SenderProfile,
  at: Date,
): Names | null {
  const name = cut(profile.name ?? '', 255);
  const username = cut((profile.username ?? '').replace(/^@/, ''), 64);
  const takesName =
    name !== '' &&
    name !== holder.name &&
    (holder.name === '' ||
      (holder.profile_name_at !== null && later([at, name], [holder.profile_name_at, holder.name])));
  const namesAgain =
    name !== '' && name === holder.name && holder.profile_name_at !== null && holder.profile_name_at < at;
  const usesName =
    username !== '' &&
    (holder.username_at === null || later([at, username], [holder.username_at, holder.username ?? '']));
  if (!takesName && !usesName && !namesAgain) return null;

  const next = { name: takesName ? name : holder.name, username: usesName ? username : holder.username };
  return {
    ...next,
    profile_name_at: takesName || namesAgain ? at : holder.profile_name_at,
    username_at: usesName ? at : holder.username_at,
    renamed: next.name !== holder.name || next.username !== holder.username,
  };
}

function later(left: readonly [Date, string], right: readonly [Date, string]): boolean {
  const difference = left[0].getTime() - right[0].getTime();
  return difference > 0 || (difference === 0 && left[1] > right[1]);
}
