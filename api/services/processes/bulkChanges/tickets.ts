import { sameMembers } from '../../../core/db/changes';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { invalidField, noSuchPk } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import { countToldBy, ticketIds } from '../../resources/tickets/queries';
import type { TicketPatch } from '../../resources/tickets/schema';
import { lockTicket, patchTicket } from '../../resources/tickets/service';
import { wantedStage } from '../../resources/tickets/target';
import {
  changeEach,
  maxChanged,
  requireChange,
  requireFew,
  requireOneWay,
  type BulkOutcome,
  type Selected,
} from './batches';
import type { bulkTicketsInput } from './schema';
import { undoMany } from './service';
import { tagsAfter } from './tags';

type Input = InputOf<typeof bulkTicketsInput>;

/** Changes many tickets, each by the rules of a single one. Throws 400 where none takes the change. */
export async function changeTickets(ctx: Ctx, input: Input): Promise<BulkOutcome> {
  const { add_tags: add, remove_tags: remove, ...values } = input.change;
  return changeEach(ctx, await selectedBy(ctx, input), async (id, bulk) => {
    // Stages are locked before tickets everywhere.
    if (values.stage !== undefined) await wantedStage(ctx, values);
    const tags = add || remove ? tagsAfter((await lockTicket(ctx, id)).tags, add, remove) : undefined;
    return patchTicket(ctx, id, { ...values, ...(tags === undefined ? {} : { tags }) }, { bulk });
  });
}

/** Returns how many tickets a change is for, and how many contacts it tells. Throws as the change. */
export async function previewTickets(ctx: Ctx, input: Input): Promise<{ matched: number; told: number }> {
  const { ids, gone } = await selectedBy(ctx, input);
  const { stage } = input.change;
  return { matched: ids.length + gone, told: stage === undefined ? 0 : await countToldBy(ctx, ids, stage) };
}

async function selectedBy(ctx: Ctx, { ticket_ids: given, filters, change }: Input): Promise<Selected> {
  requireOneWay('ticket_ids', given, filters);
  requireChange(change);
  if (given === undefined) {
    const ids = await ticketIds(ctx, filters ?? {}, maxChanged + 1);
    requireFew(ids.length, 'tickets');
    return { ids, gone: 0 };
  }
  const asked = [...new Set(given)];
  const { Ticket } = ctx.runtime.db.models;
  const rows = await of(ctx, Ticket).findAll({ attributes: ['id'], where: { id: asked }, raw: true });
  const [first] = asked;
  if (rows.length === 0 && first !== undefined) throw invalidField('ticket_ids', noSuchPk(first));
  return { ids: rows.map(({ id }) => id), gone: asked.length - rows.length };
}

const columns = { stage: 'stage_id', assigned_to: 'assigned_to_id', priority: 'priority', tags: 'tags' } as const;

/** Takes a change of many tickets back, but for moves of which one way tells a contact. Throws 404 and 409. */
export const undoTickets = (ctx: Ctx, id: number): ReturnType<typeof undoMany> =>
  undoMany(ctx, id, 'tickets', async (_ctx, ticketId, changes) => {
    const known = (Object.keys(columns) as (keyof typeof columns)[]).filter((name) => name in changes);
    for (const stage of [changes['stage']?.from, changes['stage']?.to])
      if (stage !== undefined && (await wantedStage(ctx, { stage: Number(stage) }))?.notify_template_pk) return false;
    const current = await lockTicket(ctx, ticketId);
    if (!known.every((name) => sameMembers(current[columns[name]], changes[name]?.to))) return false;
    const back = Object.fromEntries(known.map((name) => [name, changes[name]?.from])) as TicketPatch;
    return patchTicket(ctx, ticketId, back);
  });
