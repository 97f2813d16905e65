import type { Ctx } from '../../core/context';
import type { Identity } from './identity';
import { lockIdentities } from './locks';
import { findContactById, insertContact } from './service';
import { contactColumns, type ContactView } from './serializer';

/** What an inbound message tells of its sender beside the identity. */
export interface SenderProfile {
  readonly name?: string;
  readonly username?: string;
}

/**
 * The contact of an identity, created when nobody has it: one person is one row, whichever of phone and bsuid names
 * them (contract C5). Must run in a transaction; identities are locked in a fixed order, so that two messages of a new
 * customer at once make one contact.
 */
export async function resolveContact(ctx: Ctx, identity: Identity, profile: SenderProfile = {}): Promise<ContactView> {
  await lockIdentities(ctx, [identity.phone, identity.bsuid]);
  const found = await ctx.runtime.db.rows<ContactView>(
    `SELECT c.id, ${contactColumns}, c.created_at, c.updated_at FROM contacts c
     WHERE c.workspace_id = $workspaceId AND (c.phone = $phone OR c.bsuid = $bsuid) FOR UPDATE`,
    { workspaceId: ctx.workspaceId, phone: identity.phone, bsuid: identity.bsuid },
  );
  const byBsuid = identity.bsuid === null ? undefined : found.find((row) => row.bsuid === identity.bsuid);
  const byPhone = identity.phone === null ? undefined : found.find((row) => row.phone === identity.phone);
  const known = byBsuid ?? byPhone;
  if (!known) return adopt(ctx, await findContactById(ctx, await insertContact(ctx, identity, { name: profile.name?.slice(0, 255) })), identity, undefined, profile);
  return adopt(ctx, known, identity, byPhone, profile);
}

/** Learns what the identity adds to a known contact: a second handle, the display name, the username. */
async function adopt(ctx: Ctx, known: ContactView, identity: Identity, byPhone: ContactView | undefined, profile: SenderProfile): Promise<ContactView> {
  let phone = known.phone;
  let bsuid = known.bsuid;
  if (identity.bsuid !== null && bsuid === null) bsuid = identity.bsuid;
  if (identity.phone !== null && phone === null && byPhone === undefined) phone = identity.phone;
  const name = known.name === '' && profile.name ? profile.name.slice(0, 255) : known.name;
  const username = profile.username === undefined ? known.username : profile.username.replace(/^@/, '').slice(0, 64);
  if (phone === known.phone && bsuid === known.bsuid && name === known.name && username === known.username) return known;
  await ctx.runtime.db.rows(
    'UPDATE contacts SET phone = $phone, bsuid = $bsuid, name = $name, username = $username, updated_at = now() WHERE workspace_id = $workspaceId AND id = $id',
    { workspaceId: ctx.workspaceId, id: known.id, phone, bsuid, name, username },
  );
  return { ...known, phone, bsuid, name, username };
}
