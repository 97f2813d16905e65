import type { TicketRow } from '../../../../models';
import { sameMembers } from '../../../core/db/changes';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { invalid, invalidField, invalidPk, noSuchPk } from '../../../core/http/errors';
import { of } from '../../../core/db/scoped';
import { contactIdsOf } from '../contacts/handles';
import type { TicketFilters, TicketPatch } from './schema';
import type { Message } from '../../../core/http/reasons';
import { reason } from '../reasons';

/** The contacts that a patch names, with former ids replaced by present ones. */
interface Contacts {
  readonly receiver: number | null | undefined;
  readonly affected: readonly number[] | undefined;
}

/**
 * Checks every reference of a patch against the workspace and returns the contacts. The contacts cannot be erased until
 * the transaction ends. They are locked before the ticket, in the order of inbound messages, to avoid deadlocks. The
 * present assignee is not checked again.
 */
export async function checkReferences(
  ctx: Ctx,
  patch: TicketPatch,
  present?: Pick<TicketRow, 'assigned_to_id'>,
): Promise<Contacts> {
  const errors: Record<string, Message[]> = {};
  const refuse = (field: string, id: number | string): void => void (errors[field] ??= []).push(noSuchPk(id));

  const contacts = await findContacts(ctx, patch, refuse);
  const assignee = patch.assigned_to === present?.assigned_to_id ? undefined : patch.assigned_to;
  await checkMembers(ctx, { ...patch, assigned_to: assignee }, refuse);
  if (patch.assigned_inbox) {
    const found = await of(ctx, ctx.runtime.db.models.TeamInbox).count({ where: { id: patch.assigned_inbox } });
    if (found === 0) refuse('assigned_inbox', patch.assigned_inbox);
  }

  if (Object.keys(errors).length > 0) throw invalid(errors);
  return contacts;
}

async function findContacts(ctx: Ctx, patch: TicketPatch, refuse: Refuse): Promise<Contacts> {
  const named = await nameContacts(ctx, patch, refuse);
  const ids = [...new Set([...(named.receiver ? [named.receiver] : []), ...(named.affected ?? [])])];
  const current = await presentIds(ctx, ids, true);

  if (named.receiver && !current.has(named.receiver)) refuse('receiver', named.receiver);
  for (const id of named.affected ?? []) if (!current.has(id)) refuse('affected_contact_ids', id);
  return {
    receiver: named.receiver ? current.get(named.receiver) : named.receiver,
    affected:
      named.affected === undefined ? undefined : [...new Set(named.affected.flatMap((id) => current.get(id) ?? []))],
  };
}

/**
 * Returns the present id of contacts by present or former ids; with `lock` none of them can go in this transaction.
 * SQL: thousands of ids, and row locks.
 */
async function presentIds(ctx: Ctx, ids: readonly number[], lock: boolean): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, ids };
  const rows = await db.rows<{ id: number }>(
    `SELECT id FROM contacts WHERE ${ofWorkspace('workspace_id')} AND id = ANY($ids::bigint[])
     ORDER BY id ${lock ? 'FOR KEY SHARE' : ''}`,
    bind,
  );
  const current = new Map(rows.map((row) => [row.id, row.id]));
  if (current.size === ids.length) return current;

  // The former id of a merged contact still works (contract 5).
  const aliases = await db.rows<{ given: number; id: number }>(
    `SELECT a.value::bigint AS given, c.id
     FROM contact_aliases a
     JOIN contacts c ON c.id = a.contact_id
     WHERE a.workspace_id = $workspaceId AND a.kind = 'id'
       AND a.value = ANY(ARRAY(SELECT g::text FROM unnest($ids::bigint[]) AS g))
     ORDER BY c.id ${lock ? 'FOR KEY SHARE OF c' : ''}`,
    bind,
  );
  for (const row of aliases) if (!current.has(row.given)) current.set(row.given, row.id);
  return current;
}

/**
 * Returns the contacts that a patch names by id or by receiver_id, as ids. Throws 400 when the two name different
 * contacts.
 */
async function nameContacts(ctx: Ctx, patch: TicketPatch, refuse: Refuse): Promise<Contacts> {
  const handles = [...(patch.receiver_id ? [patch.receiver_id] : []), ...(patch.affected_receiver_ids ?? [])];
  const ids = await contactIdsOf(ctx, handles);
  if (patch.receiver_id && !ids.has(patch.receiver_id)) refuse('receiver_id', patch.receiver_id);
  for (const handle of patch.affected_receiver_ids ?? []) if (!ids.has(handle)) refuse('affected_receiver_ids', handle);

  const receiver = patch.receiver_id ? ids.get(patch.receiver_id) : patch.receiver_id === null ? null : undefined;
  const affected = patch.affected_receiver_ids?.flatMap((handle) => ids.get(handle) ?? []);
  if (receiver !== undefined && patch.receiver !== undefined && receiver !== patch.receiver)
    throw invalidField('receiver_id', 'receiver and receiver_id name different contacts. Send one of them.');
  if (affected && patch.affected_contact_ids && !sameMembers(affected, patch.affected_contact_ids))
    throw invalidField(
      'affected_receiver_ids',
      'affected_contact_ids and affected_receiver_ids name different contacts. Send one of them.',
    );
  return {
    receiver: receiver === undefined ? patch.receiver : receiver,
    affected: affected ?? patch.affected_contact_ids,
  };
}

/**
 * Returns the filters with their contacts as present ids. Throws 400 for a contact that does not exist, as bodies do.
 */
export async function resolveFilters(ctx: Ctx, filters: TicketFilters): Promise<TicketFilters> {
  const { receiver, receiver_id, affected_contact: affected, affected_receiver_id, ...rest } = filters;
  if (!receiver && !receiver_id && !affected && !affected_receiver_id) return filters;
  const errors: Record<string, Message[]> = {};
  const handles = await contactIdsOf(
    ctx,
    [receiver_id, affected_receiver_id].filter((handle) => handle !== undefined),
  );
  const named = [receiver, affected].filter((id) => id !== undefined);
  const ids = await presentIds(ctx, named, false);
  const one = (field: 'receiver' | 'affected_contact', id?: number, by?: string, handle?: string): object => {
    const found = [id === undefined ? [] : ids.get(id), handle === undefined ? [] : handles.get(handle)].flat();
    if (id !== undefined && found[0] === undefined) errors[field] = [noSuchPk(id)];
    else if (by && handle !== undefined && found.at(-1) === undefined) errors[by] = [noSuchPk(handle)];
    else if (by && new Set(found).size > 1) errors[by] = [`${field} and ${by} name different contacts. Send one.`];
    return found.length > 0 ? { [field]: found[0] } : {};
  };
  const resolved = {
    ...rest,
    ...one('receiver', receiver, 'receiver_id', receiver_id),
    ...one('affected_contact', affected, 'affected_receiver_id', affected_receiver_id),
  };
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return resolved;
}

type Refuse = (field: string, id: number | string) => void;

async function checkMembers(ctx: Ctx, patch: TicketPatch, refuse: (field: string, id: number) => void): Promise<void> {
  const watchers = patch.watcher_ids ?? [];
  const ids = [...(patch.assigned_to ? [patch.assigned_to] : []), ...watchers];
  if (ids.length === 0) return;
  const rows = await of(ctx, ctx.runtime.db.models.Member).findAll({
    attributes: ['id', 'is_active'],
    where: { id: ids },
    raw: true,
  });
  const found = new Map(rows.map((row) => [row.id, row.is_active]));
  // A ticket can be assigned to active members only; a member who left may stay a watcher.
  if (patch.assigned_to && !found.get(patch.assigned_to)) refuse('assigned_to', patch.assigned_to);
  for (const id of watchers) if (!found.has(id)) refuse('watcher_ids', id);
}

/** Refuses an id that is not an active member of the workspace. Throws the 400 on the field. */
export async function checkMember(ctx: Ctx, field: string, id: number): Promise<void> {
  const found = await of(ctx, ctx.runtime.db.models.Member).count({ where: { id, is_active: true } });
  if (found === 0) throw invalidPk(field, id);
}

const linkColumns = { parent_ticket: 'parent_ticket_id', duplicate_of: 'duplicate_of_id' } as const;

/** Serialises changes of parents and duplicates in the workspace: two at the same time could make a circle. */
export async function lockLinks(ctx: Ctx, patch: TicketPatch): Promise<void> {
  if (!patch.parent_ticket && !patch.duplicate_of) return;
  await ctx.runtime.db.rows('SELECT pg_advisory_xact_lock(hashtextextended($key, 2)) IS NULL AS locked', {
    key: `ticket-links:${ctx.workspaceId}`,
  });
}

/**
 * Refuses a parent or original that does not exist, is the ticket itself, or leads back to it; `ticketId` is null for a
 * new ticket. SQL: it follows the chain in one statement.
 */
export async function checkLinks(ctx: Ctx, ticketId: number | null, patch: TicketPatch): Promise<void> {
  for (const field of ['parent_ticket', 'duplicate_of'] as const) {
    const target = patch[field];
    if (!target) continue;
    const column = linkColumns[field];
    const row = await ctx.runtime.db.row<{ circle: boolean }>(
      `WITH RECURSIVE up(id, next) AS (
         SELECT id, ${column} FROM tickets WHERE workspace_id = $workspaceId AND id = $target
         UNION
         SELECT t.id, t.${column} FROM up JOIN tickets t ON t.workspace_id = $workspaceId AND t.id = up.next
       )
       SELECT bool_or(id = $ticketId::bigint) AS circle FROM up HAVING count(*) > 0`,
      { workspaceId: ctx.workspaceId, target, ticketId },
    );
    if (!row) throw invalidPk(field, target);
    if (row.circle)
      throw invalidField(field, field === 'parent_ticket' ? reason('ownAncestor') : reason('ownDuplicate'));
  }
}
