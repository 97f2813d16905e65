import type { TicketRow } from '../../../../models';
import type { TicketSource } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { notFound } from '../../../core/http/errors';
import { recordEvents, type EventInput } from '../../../core/queue/events';
import { takeApproved } from '../../../core/frozenSends';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { validateValues } from '../customFields/values';
import { failQueued } from '../messages/rows/withdrawal';
import { newTicketPolicy } from '../sla/policy';
import { changedColumns, changeEvent, givenColumns, stageEvent } from './changes';
import { armTicket, armTickets, hasDeadline } from './clock';
import type { TicketView } from './columns';
import { replaceLists, writeWatchers } from './lists';
import { recordMove } from './moves';
import { findTicket, requireTicket } from './queries';
import { checkLinks, checkMember, checkReferences, lockLinks } from './references';
import { enterStage } from './relocate';
import type { Escalation, NewTicket, TicketPatch } from './schema';
import { initialStage, refuseOtherPipeline, wantedStage, type Stage } from './target';

/**
 * Creates a ticket; joins a surrounding transaction. A ticket that is created in a notifying stage notifies no contact
 * (contract 8). Throws a 400 that names the wrong fields.
 */
export async function createTicket(
  ctx: Ctx,
  values: NewTicket,
  options: { readonly source?: TicketSource } = {},
): Promise<TicketView> {
  const { db, clock } = ctx.runtime;

  return db.transaction(async () => {
    const contacts = await checkReferences(ctx, values);
    await lockLinks(ctx, values);
    await checkLinks(ctx, null, values);
    const stage = await initialStage(ctx, values);
    const custom = await validateValues(ctx, ['tickets'], values.custom_fields ?? {});
    const now = clock.now();
    const policy = await newTicketPolicy(ctx, now);

    // The id that an approved text may name was drawn when it was shown.
    const drawn = takeApproved(ctx, 'ticket');
    const { id } = await db.models.Ticket.create({
      ...(drawn ? { id: drawn.id } : {}),
      ...givenColumns({ ...values, receiver: contacts.receiver }),
      workspace_id: ctx.workspaceId,
      title: values.title,
      pipeline_id: stage.pipeline_id,
      stage_id: stage.id,
      custom_fields: custom.set,
      source: options.source ?? 'api',
      created_by_id: ctx.actor.memberId,
      sla_policy_id: policy.id,
      first_response_sla: policy.firstResponse,
      resolution_sla: policy.resolution,
      sla_paused_at: stage.pauses_sla ? now : null,
      closed_at: stage.is_terminal ? now : null,
    });
    ctx.rehearsal?.frozen.push({ kind: 'ticket', id });
    const events = await replaceLists(ctx, id, { affected: contacts.affected, watchers: undefined });
    if (values.watcher_ids) await writeWatchers(ctx, id, values.watcher_ids);

    await recordEvents(ctx, [createdEvent(id, stage), ...events]);
    if (policy.id !== null) await armTicket(ctx, id);
    return findTicket(ctx, id);
  });
}

function createdEvent(id: number, stage: Stage): EventInput {
  return {
    subjectType: 'ticket',
    subjectId: id,
    kind: 'ticket_created',
    data: { pipeline: stage.pipeline_id, stage: stage.id },
  };
}

/**
 * Changes a ticket; joins a surrounding transaction. Entering a notifying stage records the move, whose messages are
 * sent afterwards (contract 8.3). Throws 400 and 404.
 */
export async function updateTicket(ctx: Ctx, id: number, patch: TicketPatch): Promise<TicketView> {
  return ctx.runtime.db.transaction(async () => {
    await patchTicket(ctx, id, patch);
    return findTicket(ctx, id);
  });
}

/**
 * Does so in a surrounding transaction; returns whether it is different now. `data` is noted in the trail. Throws 400
 * and 404.
 */
export async function patchTicket(
  ctx: Ctx,
  id: number,
  patch: TicketPatch,
  data: Readonly<Record<string, unknown>> = {},
): Promise<boolean> {
  const present = await requireTicket(ctx, id);
  // References before the ticket: contacts, stages and tickets are locked in this order everywhere.
  const contacts = await checkReferences(ctx, patch, present);
  await lockLinks(ctx, patch);
  const wanted = await wantedStage(ctx, patch);
  const custom =
    patch.custom_fields === undefined
      ? null
      : await validateValues(ctx, ['tickets'], patch.custom_fields, present.custom_fields);

  const before = await lockTicket(ctx, id);
  await ctx.precondition?.();
  await checkLinks(ctx, id, patch);
  const stage = enteredStage(before, patch, wanted);

  const { columns, changes } = changedColumns(before, { ...patch, receiver: contacts.receiver }, custom);
  const events = await replaceLists(ctx, id, { affected: contacts.affected, watchers: patch.watcher_ids });
  if (Object.keys(changes).length > 0) events.push(changeEvent(id, changes));
  if (stage) events.push(stageEvent(before, stage));
  if (Object.keys(columns).length === 0 && events.length === 0) return false;

  if (!stage || Object.keys(columns).length > 0)
    await tickets(ctx).update({ ...columns, updated_at: dbNow }, { where: { id } });
  if (stage) await enterStage(ctx, id, stage);
  await recordEvents(
    ctx,
    events.map((event) => ({ ...event, data: { ...event.data, ...data } })),
  );
  if (stage) await recordMove(ctx, id, stage);
  return true;
}

/** Returns the stage that the ticket really enters. Throws the 400 of a stage of another pipeline. */
function enteredStage(before: TicketRow, patch: TicketPatch, wanted: Stage | null): Stage | null {
  if (!wanted) return null;
  refuseOtherPipeline(patch, wanted, before);
  // The pipeline that it is in already, without a stage, asks for nothing.
  const asksNothing = patch.stage === undefined && wanted.pipeline_id === before.pipeline_id;
  return wanted.id === before.stage_id || asksNothing ? null : wanted;
}

/** Hands a ticket up to a member, with a reason for the activity feed. Throws 400 and 404. */
export async function escalateTicket(ctx: Ctx, id: number, values: Escalation): Promise<TicketView> {
  const { db } = ctx.runtime;

  return db.transaction(async () => {
    const before = await lockTicket(ctx, id);
    await checkMember(ctx, 'escalated_to', values.escalated_to);

    await tickets(ctx).update(
      { escalated_at: dbNow, escalated_to_id: values.escalated_to, updated_at: dbNow },
      { where: { id } },
    );
    const changes = { escalated_to: { from: before.escalated_to_id, to: values.escalated_to } };
    await recordEvents(ctx, [
      { subjectType: 'ticket', subjectId: id, kind: 'escalated', changes, data: { reason: values.reason ?? '' } },
    ]);
    return findTicket(ctx, id);
  });
}

/** Removes a ticket with its comments; notifications that are not sent yet are not sent any more. Throws 404. */
export async function deleteTicket(ctx: Ctx, id: number): Promise<void> {
  const { db } = ctx.runtime;

  await db.transaction(async () => {
    // Locked first: what is being prepared is stored before, or not at all. SQL: a lock on one side of a join.
    const notifications = await db.rows<{ message_id: number | null }>(
      `SELECT r.message_id
       FROM ticket_stage_moves v
       JOIN ticket_stage_move_recipients r ON r.move_id = v.id
       WHERE v.workspace_id = $workspaceId AND v.ticket_id = $id
       FOR UPDATE OF r`,
      { workspaceId: ctx.workspaceId, id },
    );
    const ticket = await lockTicket(ctx, id);
    await ctx.precondition?.();
    await tickets(ctx).destroy({ where: { id } });

    const messageIds = notifications.flatMap(({ message_id: messageId }) => messageId ?? []);
    await failQueued(ctx, messageIds, {
      title: 'Ticket deleted',
      message: 'The ticket that this message was about was deleted before it was sent.',
    });
    await recordEvents(ctx, [{ subjectType: 'ticket', subjectId: id, kind: 'ticket_deleted' }]);
    if (hasDeadline(ticket)) await armTickets(ctx, [{ id, due: null, version: ticket.sla_version + 1 }]);
  });
}

const tickets = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.Ticket);

/** Reads and locks a ticket until the transaction ends. Throws 404. */
export async function lockTicket(ctx: Ctx, id: number): Promise<TicketRow> {
  const row = await tickets(ctx).findOne({ where: { id }, lock: true, raw: true });
  if (!row) throw notFound();
  return row;
}
