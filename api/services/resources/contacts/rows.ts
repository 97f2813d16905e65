import { col, fn, Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import type { Identity } from './identity';

/**
 * SQL: records that the contacts of `given(contact_id, at)`, each listed once, wrote at these times. The earliest
 * message of a contact counts, in whatever order they arrive. `ids` names the same contacts.
 */
export function firstMessagesSql(given: string, ids: string): string {
  return `
  UPDATE contacts c
  SET first_message_at = least(c.first_message_at, g.at), updated_at = now()
  FROM ${given} g
  WHERE ${ofWorkspace('c.workspace_id')} AND c.id = ANY(${ids}::bigint[]) AND c.id = g.contact_id
    AND (c.first_message_at IS NULL OR c.first_message_at > g.at)`;
}

/**
 * SQL: opens the conversation of each contact of `contacts(id)`. A contact and its conversation have one id, and begin
 * together.
 */
export function openConversationsSql(contacts: string): string {
  return `INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $workspaceId, id FROM ${contacts}`;
}

/**
 * Lets handles name those alone whose number or user id they are: a locked identity is about to be given to the contact
 * `to`, or to a new one. Who is named by one that they do not have any more is named by their present number from now
 * on, else by their user id.
 */
export async function freeHandles(
  ctx: Ctx,
  handles: readonly (string | null)[],
  to: number | null = null,
  freed: ReadonlySet<string> = new Set(),
): Promise<void> {
  const asked = handles.filter((handle) => handle !== null && !freed.has(handle));
  if (asked.length === 0) return;
  // SQL: the columns are compared with each other.
  const misnamed = await ctx.runtime.db.rows<{ id: number; name: string }>(
    `SELECT id, coalesce(phone, bsuid) AS name FROM contacts
     WHERE workspace_id = $workspaceId AND receiver_id = ANY($asked::text[]) AND id IS DISTINCT FROM $to::bigint
       AND receiver_id <> coalesce(phone, '') AND receiver_id <> coalesce(bsuid, '')
       AND coalesce(phone, bsuid) IS NOT NULL`,
    { workspaceId: ctx.workspaceId, asked, to },
  );
  // Somebody else may be named by that, who does not have it either.
  const names = misnamed.map(({ name }) => name);
  if (names.length > 0) await freeHandles(ctx, names, to, new Set([...freed, ...asked.map(String)]));
  const contacts = of(ctx, ctx.runtime.db.models.Contact);
  for (const { id, name } of misnamed)
    await contacts.update({ receiver_id: name, updated_at: dbNow }, { where: { id } });
}

/** Stores the phone and bsuid of an event on a contact, and when it named both; what is absent is not changed. */
export async function writeIdentity(ctx: Ctx, id: number, identity: Identity, at: Date | null): Promise<void> {
  await freeHandles(ctx, [identity.phone, identity.bsuid], id);
  await of(ctx, ctx.runtime.db.models.Contact).update(
    {
      ...(identity.phone === null ? {} : { phone: identity.phone }),
      ...(identity.bsuid === null ? {} : { bsuid: identity.bsuid }),
      ...(at === null ? {} : { identity_at: fn('greatest', col('identity_at'), at) }),
      updated_at: dbNow,
    },
    { where: { id } },
  );
}

/** What an event taught of a locked contact's names, and when. */
export interface Names {
  readonly name: string;
  readonly username: string | null;
  readonly profile_name_at: Date | null;
  readonly username_at: Date | null;
  /** The names are other ones than before. */
  readonly renamed: boolean;
}

/** What an event taught of a locked contact. */
export interface News {
  readonly id: number;
  /** When it named the contact by all that it is known by already; null leaves that time as it is. */
  readonly identityAt: Date | null;
  readonly names: Names | null;
}

/** Writes what events taught of locked contacts, each there once. SQL: one statement for all, for every message. */
export async function writeNews(ctx: Ctx, news: readonly News[]): Promise<void> {
  if (news.length === 0) return;
  await ctx.runtime.db.rows(
    `UPDATE contacts c
     SET identity_at = coalesce(n.identity_at, c.identity_at),
       name = coalesce(n.name, c.name),
       username = coalesce(n.username, c.username),
       profile_name_at = coalesce(n.profile_name_at, c.profile_name_at),
       username_at = coalesce(n.username_at, c.username_at),
       updated_at = CASE WHEN n.renamed THEN now() ELSE c.updated_at END
     FROM json_to_recordset($news::json) AS n(id bigint, identity_at timestamptz, name text, username text,
       profile_name_at timestamptz, username_at timestamptz, renamed boolean)
     WHERE ${ofWorkspace('c.workspace_id')} AND c.id = ANY($ids::bigint[]) AND c.id = n.id`,
    {
      workspaceId: ctx.workspaceId,
      ids: news.map(({ id }) => id),
      news: JSON.stringify(news.map(({ id, identityAt, names }) => ({ id, identity_at: identityAt, ...names }))),
    },
  );
}

/** Gives a locked contact a new identity; a `receiverId` that belongs to another contact is not used. */
export async function replaceIdentity(
  ctx: Ctx,
  id: number,
  next: Identity & { readonly receiverId: string; readonly at: Date },
): Promise<void> {
  await freeHandles(ctx, [next.phone, next.bsuid], id);
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

/** Notes when a contact wrote first, where nothing earlier is known. */
export async function noteFirstMessage(ctx: Ctx, id: number, at: Date): Promise<void> {
  await of(ctx, ctx.runtime.db.models.Contact).update(
    { first_message_at: at, updated_at: dbNow },
    { where: { id, first_message_at: { [Op.or]: [null, { [Op.gt]: at }] } } },
  );
}

/** Gives a contact without a name the one in the phone's address book, without telling subscribers. */
export async function nameSynced(ctx: Ctx, id: number, name: string): Promise<void> {
  await of(ctx, ctx.runtime.db.models.Contact).update({ name, updated_at: dbNow }, { where: { id, name: '' } });
}
