import { Op } from 'sequelize';
import { sameMembers, sameValue } from '../../../core/db/changes';
import type { Ctx } from '../../../core/context';
import type { EventInput } from '../../../core/queue/events';

/** Lists of a ticket that a request replaces; undefined ones stay. */
interface TicketLists {
  readonly affected: readonly number[] | undefined;
  readonly watchers: readonly number[] | undefined;
}

/** Replaces the lists that are given, and returns the events of those that changed. */
export async function replaceLists(ctx: Ctx, id: number, lists: TicketLists): Promise<EventInput[]> {
  const events = [
    lists.affected ? await replaceAffected(ctx, id, lists.affected) : null,
    lists.watchers ? await replaceWatchers(ctx, id, lists.watchers) : null,
  ];
  return events.filter((event) => event !== null);
}

async function replaceAffected(ctx: Ctx, id: number, ids: readonly number[]): Promise<EventInput | null> {
  const rows = await ctx.runtime.db.models.TicketContact.findAll({
    where: { ticket_id: id },
    order: ['position', 'contact_id'],
    raw: true,
  });
  const before = rows.map((row) => row.contact_id);
  if (!sameValue(before, ids)) await writeAffected(ctx, id, ids);
  if (sameMembers(before, ids)) return null;
  return {
    subjectType: 'ticket',
    subjectId: id,
    kind: 'affected_contacts_changed',
    changes: { affected_contact_ids: { from: before, to: ids } },
  };
}

async function replaceWatchers(ctx: Ctx, id: number, ids: readonly number[]): Promise<EventInput | null> {
  const rows = await ctx.runtime.db.models.TicketWatcher.findAll({
    where: { ticket_id: id },
    order: ['member_id'],
    raw: true,
  });
  const before = rows.map((row) => row.member_id);
  const after = [...new Set(ids)].sort((left, right) => left - right);
  if (sameMembers(before, after)) return null;

  await writeWatchers(ctx, id, after);
  return {
    subjectType: 'ticket',
    subjectId: id,
    kind: 'watchers_changed',
    changes: { watcher_ids: { from: before, to: after } },
  };
}

/** Replaces thousands of contacts in one statement that touches only the rows that differ. */
async function writeAffected(ctx: Ctx, id: number, ids: readonly number[]): Promise<void> {
  await ctx.runtime.db.rows(
    `WITH gone AS (
       DELETE FROM ticket_contacts WHERE ticket_id = $id AND contact_id <> ALL($ids::bigint[])
     )
     INSERT INTO ticket_contacts AS tc (ticket_id, contact_id, position)
     SELECT $id, w.contact_id, w.place FROM unnest($ids::bigint[]) WITH ORDINALITY AS w(contact_id, place)
     ON CONFLICT (ticket_id, contact_id) DO UPDATE SET position = excluded.position
     WHERE tc.position <> excluded.position`,
    { id, ids },
  );
}

/** Replaces the members who follow a ticket. */
export async function writeWatchers(ctx: Ctx, id: number, ids: readonly number[]): Promise<void> {
  const { TicketWatcher } = ctx.runtime.db.models;
  await TicketWatcher.destroy({ where: { ticket_id: id, member_id: { [Op.notIn]: ids } } });
  await TicketWatcher.bulkCreate(
    ids.map((memberId) => ({ ticket_id: id, member_id: memberId })),
    { ignoreDuplicates: true },
  );
}
