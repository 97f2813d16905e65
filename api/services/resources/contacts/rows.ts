import { col, fn, Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/scoped';
import { dbNow } from '../../../core/stored';
import type { Identity } from './identity';

/** SQL: the contact `$contactId` wrote at `$at`; the earliest message counts, in whatever order they come. */
export const firstMessageSql = `
  UPDATE contacts
  SET first_message_at = least(first_message_at, $at), updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $contactId AND (first_message_at IS NULL OR first_message_at > $at)`;

/**
 * SQL: opens the conversation of each contact of `contacts(id)`. A contact and its conversation have one id, and begin
 * together.
 */
export function openConversationsSql(contacts: string): string {
  return `INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $workspaceId, id FROM ${contacts}`;
}

/** Adds what an event says of phone and bsuid to a contact; what it does not name stays. */
export async function writeIdentity(ctx: Ctx, id: number, identity: Identity, at: Date): Promise<void> {
  await of(ctx, ctx.runtime.db.models.Contact).update(
    {
      ...(identity.phone === null ? {} : { phone: identity.phone }),
      ...(identity.bsuid === null ? {} : { bsuid: identity.bsuid }),
      identity_at: fn('greatest', col('identity_at'), at),
      updated_at: dbNow,
    },
    { where: { id } },
  );
}

/** Notes that an event of `at` named a contact by what it is known by already. */
export async function confirmIdentity(ctx: Ctx, id: number, at: Date): Promise<void> {
  // On the way of every message that comes in, so it goes by SQL.
  await ctx.runtime.db.rows('UPDATE contacts SET identity_at = $at WHERE workspace_id = $workspaceId AND id = $id', {
    workspaceId: ctx.workspaceId,
    id,
    at,
  });
}

/** What an event taught of a locked contact's names, and when. */
export interface Names {
  readonly name: string;
  readonly username: string | null;
  readonly profile_name_at: Date | null;
  readonly username_at: Date | null;
}

/** Writes the names of a locked contact; `changed` where they are other ones than before. */
export async function writeNames(ctx: Ctx, id: number, names: Names, changed: boolean): Promise<void> {
  // On the way of nearly every message that comes in, so it goes by SQL.
  await ctx.runtime.db.rows(
    `UPDATE contacts
     SET name = $name, username = $username, profile_name_at = $profile_name_at, username_at = $username_at
       ${changed ? ', updated_at = now()' : ''}
     WHERE workspace_id = $workspaceId AND id = $id`,
    { ...names, workspaceId: ctx.workspaceId, id },
  );
}

/** Gives a locked contact a new identity; a `receiverId` that another contact has is not taken. */
export async function replaceIdentity(
  ctx: Ctx,
  id: number,
  next: Identity & { readonly receiverId: string; readonly at: Date },
): Promise<void> {
  const contacts = of(ctx, ctx.runtime.db.models.Contact);
  const taken = await contacts.count({ where: { receiver_id: next.receiverId, id: { [Op.ne]: id } } });
  await contacts.update(
    {
      phone: next.phone,
      bsuid: next.bsuid,
      ...(taken > 0 ? {} : { receiver_id: next.receiverId }),
      identity_at: fn('greatest', col('identity_at'), next.at),
      updated_at: dbNow,
    },
    { where: { id } },
  );
}
