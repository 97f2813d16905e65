import { cut } from '../../../core/text/cut';
import type { ContactRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { otherSpelling, spellingsOf } from '../../../core/phones';
import type { Identity } from '../../resources/contacts/identity';
import { insertContacts } from '../../resources/contacts/insert';
import { lockIdentities } from '../../resources/contacts/locks';
import { storePairs } from '../../resources/contacts/identityPairs';
import { writeNews, type News } from '../../resources/contacts/rows';
import { isNews, namesAfter, type SenderProfile } from './resolve';

/** Who sent something, as an event names them. */
export interface Sender {
  readonly identity: Identity;
  readonly profile: SenderProfile;
  readonly at: Date;
  /** Of the event. */
  readonly requestId: string;
}

type Known = Pick<
  ContactRow,
  'id' | 'phone' | 'bsuid' | 'name' | 'username' | 'identity_at' | 'profile_name_at' | 'username_at'
> & {
  /** Its present phone or user id belonged to another contact before. */
  readonly former: boolean;
};

/**
 * Returns the contacts of many senders by the rules of `resolveContact`, created where there is none; in the
 * surrounding transaction, by a few statements for all. No two senders may share a phone or a user id. Null for those
 * that are no plain case (an identity that was another contact's, a change of it that waits, two rows that are one
 * person): they are left to `resolveContact`, and nothing is written for them.
 */
export async function resolvePlain<S extends Sender>(ctx: Ctx, senders: readonly S[]): Promise<ReadonlyMap<S, number>> {
  const phones = senders.flatMap(({ identity }) => identity.phone ?? []);
  const bsuids = senders.flatMap(({ identity }) => identity.bsuid ?? []);
  await lockIdentities(ctx, [...phones, ...bsuids]);
  const known = await lockKnown(ctx, phones.flatMap(spellingsOf), bsuids);
  const byPhone = new Map(known.map((contact) => [contact.phone, contact]));
  const byBsuid = new Map(known.map((contact) => [contact.bsuid, contact]));

  const ids = new Map<S, number>();
  const news: News[] = [];
  const found = new Set<number>();
  const take = (sender: S, contact: Known): void => {
    // One person whom two events name in two ways: the second of them comes later.
    if (found.has(contact.id)) return;
    found.add(contact.id);
    ids.set(sender, contact.id);
    const { identity, profile, at } = sender;
    const identityAt = identity.phone !== null && identity.bsuid !== null && isNews(contact, at) ? at : null;
    const names = namesAfter(contact, profile, at);
    if (identityAt || names) news.push({ id: contact.id, identityAt, names });
  };

  const newcomers: S[] = [];
  const unpaired: (readonly [S, Known])[] = [];
  for (const sender of senders) {
    const { phone, bsuid } = sender.identity;
    // The other spelling of a line is no plain case.
    const other = phone === null ? null : otherSpelling(phone);
    if (other !== null && byPhone.has(other)) continue;
    const phoned = phone === null ? undefined : byPhone.get(phone);
    const named = bsuid === null ? undefined : byBsuid.get(bsuid);
    const contact = phoned ?? named;
    if (!contact) newcomers.push(sender);
    else if (!contact.former && (phone === null || phone === contact.phone)) {
      if (bsuid === null || bsuid === contact.bsuid) take(sender, contact);
      else if (contact.bsuid === null && !named) unpaired.push([sender, contact]);
    }
  }
  await takePairs(ctx, unpaired, take);
  await writeNews(ctx, news);
  for (const [sender, id] of await insertNewContacts(ctx, newcomers)) ids.set(sender, id);
  return ids;
}

/** Returns the contacts that have one of these phones or user ids, locked in the order of their ids. */
async function lockKnown(ctx: Ctx, phones: readonly string[], bsuids: readonly string[]): Promise<Known[]> {
  return ctx.runtime.db.rows<Known>(
    // A set of two kinds of identities, each looked up by its own index; asked for all messages that come in.
    `SELECT c.id, c.phone, c.bsuid, c.name, c.username, c.identity_at, c.profile_name_at, c.username_at,
       EXISTS (SELECT 1 FROM contact_aliases a
         WHERE a.workspace_id = $workspaceId AND a.kind = 'phone' AND a.value = c.phone)
       OR EXISTS (SELECT 1 FROM contact_aliases a
         WHERE a.workspace_id = $workspaceId AND a.kind = 'bsuid' AND a.value = c.bsuid) AS former
     FROM contacts c
     WHERE ${ofWorkspace('c.workspace_id')} AND c.id = ANY(ARRAY(
       SELECT id FROM contacts WHERE phone = ANY($phones::text[]) AND ${ofWorkspace('workspace_id')}
       UNION SELECT id FROM contacts WHERE bsuid = ANY($bsuids::text[]) AND ${ofWorkspace('workspace_id')}))
     ORDER BY c.id
     FOR UPDATE`,
    { workspaceId: ctx.workspaceId, phones, bsuids },
  );
}

/** Takes senders whose contact was known by its phone alone, where the user id that they name is plainly theirs. */
async function takePairs<S extends Sender>(
  ctx: Ctx,
  unpaired: readonly (readonly [S, Known])[],
  take: (sender: S, contact: Known) => void,
): Promise<void> {
  const learned = await storePairs(
    ctx,
    unpaired.map(([{ identity, at }, { id }]) => ({
      contactId: id,
      phone: identity.phone ?? '',
      bsuid: identity.bsuid ?? '',
      username: '',
      at,
    })),
  );
  for (const [sender, contact] of unpaired) {
    const bsuid = learned.get(contact.id)?.bsuid;
    if (bsuid !== undefined && bsuid !== null) take(sender, { ...contact, bsuid, identity_at: sender.at });
  }
}

/** Inserts contacts for senders whom nothing is known of, and nothing remembered. */
async function insertNewContacts<S extends Sender>(
  ctx: Ctx,
  newcomers: readonly S[],
): Promise<(readonly [S, number])[]> {
  if (newcomers.length === 0) return [];
  const remembered = await ctx.runtime.db.rows<{ place: number }>(
    // A set of pairs, each looked for in two tables by their indexes.
    `SELECT g.place
     FROM unnest($phones::text[], $others::text[], $bsuids::text[]) WITH ORDINALITY AS g(phone, other, bsuid, place)
     WHERE EXISTS (SELECT 1 FROM contact_aliases a
         WHERE a.workspace_id = $workspaceId AND a.kind = 'phone' AND a.value IN (g.phone, g.other))
       OR EXISTS (SELECT 1 FROM contact_aliases a
         WHERE a.workspace_id = $workspaceId AND a.kind = 'bsuid' AND a.value = g.bsuid)
       OR EXISTS (SELECT 1 FROM identity_moves m
         WHERE m.workspace_id = $workspaceId AND m.old_phone IN (g.phone, g.other))
       OR EXISTS (SELECT 1 FROM identity_moves m WHERE m.workspace_id = $workspaceId AND m.old_bsuid = g.bsuid)`,
    {
      workspaceId: ctx.workspaceId,
      phones: newcomers.map(({ identity }) => identity.phone),
      others: newcomers.map(({ identity }) => identity.phone && otherSpelling(identity.phone)),
      bsuids: newcomers.map(({ identity }) => identity.bsuid),
    },
  );
  const left = new Set(remembered.map(({ place }) => place));
  const fresh = newcomers.filter((_sender, index) => !left.has(index + 1));
  const ids = await insertContacts(
    ctx,
    fresh.map(({ identity, profile, at, requestId }) => ({
      identity,
      values: { name: cut(profile.name ?? '', 255) || undefined, profile: { ...profile, at } },
      requestId,
    })),
  );
  return fresh.flatMap((sender, index) => {
    const id = ids[index];
    return id === undefined ? [] : [[sender, id] as const];
  });
}
