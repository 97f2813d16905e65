import type { TicketRow } from '../../../../models';
import { sameMembers, sameValue } from '../../../core/changes';
import type { Ctx } from '../../../core/context';
import type { Bind } from '../../../core/db';
import { notFound } from '../../../core/errors';
import { recordEvents, type EventInput } from '../../../core/events';
import { validateValues } from '../customFields/values';
import { failQueued } from '../messages/rows/withdrawal';
import { newTicketPolicy } from '../sla/policy';
import { armTickets, clockSets, dueSql, hasDeadlineSql } from './clock';
import { recordMove } from './moves';
import { findTicket, requireTicket } from './queries';
import { checkLinks, checkMember, checkReferences, lockLinks } from './references';
import type { TicketView } from './serializer';
import { initialStage, refuseOtherPipeline, wantedStage, type Stage } from './target';

export { listTickets, findTicket, type TicketFilters } from './queries';
export { addComment, listComments, readComment } from './comments';

/** What a ticket's PATCH may change (contract 8). Absent keys stay. */
export interface TicketPatch {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly pipeline?: number | undefined;
  readonly stage?: number | undefined;
  readonly receiver?: number | null | undefined;
  readonly receiver_id?: string | null | undefined;
  readonly affected_contact_ids?: readonly number[] | undefined;
  readonly affected_receiver_ids?: readonly string[] | undefined;
  readonly assigned_to?: number | null | undefined;
  readonly assigned_inbox?: number | null | undefined;
  readonly watcher_ids?: readonly number[] | undefined;
  readonly parent_ticket?: number | null | undefined;
  readonly duplicate_of?: number | null | undefined;
  readonly due_at?: Date | null | undefined;
  readonly outcome?: TicketRow['outcome'] | undefined;
  readonly type?: TicketRow['type'] | undefined;
  readonly severity?: TicketRow['severity'] | undefined;
  readonly priority?: TicketRow['priority'] | undefined;
  readonly tags?: unknown;
  readonly custom_fields?: Record<string, unknown> | undefined;
}

export interface TicketInput extends TicketPatch {
  readonly title: string;
}

/**
 * Creates a ticket; joins a surrounding transaction. Beginning in a notifying stage notifies nobody (contract 8).
 * Throws the 400 that names the wrong fields.
 */
export async function createTicket(
  ctx: Ctx,
  values: TicketInput,
  options: { readonly source?: TicketRow['source'] } = {},
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
    const row = await db.row<{ id: number; due: Date | null; timed: boolean; version: number }>(
      `INSERT INTO tickets AS t (workspace_id, title, description, pipeline_id, stage_id, receiver_id, assigned_to_id, assigned_inbox_id, parent_ticket_id, duplicate_of_id, created_by_id, due_at,
         type, severity, priority, source, outcome, tags, custom_fields, sla_policy_id, first_response_sla, resolution_sla, sla_paused_at, closed_at)
       VALUES ($workspaceId, $title, $description, $pipelineId, $stageId, $receiverId, $assignedTo, $assignedInbox, $parent, $duplicateOf, $createdBy, $dueAt,
         $type, $severity, $priority, $source, $outcome, $tags::jsonb, $custom::jsonb, $policyId, $firstResponse, $resolution,
         CASE WHEN $pauses::boolean THEN $now::timestamptz END, CASE WHEN $terminal::boolean THEN $now::timestamptz END)
       RETURNING t.id, ${dueSql} AS due, ${hasDeadlineSql} AS timed, t.sla_version AS version`,
      {
        workspaceId: ctx.workspaceId,
        title: values.title,
        description: values.description ?? '',
        pipelineId: stage.pipeline_id,
        stageId: stage.id,
        receiverId: contacts.receiver ?? null,
        assignedTo: values.assigned_to ?? null,
        assignedInbox: values.assigned_inbox ?? null,
        parent: values.parent_ticket ?? null,
        duplicateOf: values.duplicate_of ?? null,
        createdBy: ctx.actor.memberId,
        dueAt: values.due_at ?? null,
        type: values.type ?? 'other',
        severity: values.severity ?? 'sev3',
        priority: values.priority ?? 'normal',
        source: options.source ?? 'api',
        outcome: values.outcome ?? null,
        tags: JSON.stringify(values.tags === undefined ? [] : values.tags),
        custom: JSON.stringify(custom.set),
        policyId: policy.id,
        firstResponse: policy.firstResponse,
        resolution: policy.resolution,
        pauses: stage.pauses_sla,
        terminal: stage.is_terminal,
        now,
      },
    );
    if (!row) throw new Error('the ticket was not stored');
    const events: EventInput[] = [
      {
        subjectType: 'ticket',
        subjectId: row.id,
        kind: 'ticket_created',
        data: { pipeline: stage.pipeline_id, stage: stage.id },
      },
    ];
    if (contacts.affected?.length) {
      await writeAffected(ctx, row.id, contacts.affected);
      events.push(affectedEvent(row.id, [], contacts.affected));
    }
    if (values.watcher_ids?.length) await writeWatchers(ctx, row.id, values.watcher_ids);
    await recordEvents(ctx, events);
    if (row.timed && row.due) await armTickets(ctx, [row]);
    return findTicket(ctx, row.id);
  });
}

/**
 * Changes a ticket; joins a surrounding transaction. Entering a notifying stage records the move, whose messages are
 * sent afterwards (contract 8.3). Throws 400 and 404.
 */
export async function updateTicket(ctx: Ctx, id: number, patch: TicketPatch): Promise<TicketView> {
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    const present = await requireTicket(ctx, id);
    // References before the ticket: contacts, stages and tickets are locked in this order everywhere.
    const contacts = await checkReferences(ctx, patch, present);
    await lockLinks(ctx, patch);
    const wanted = await wantedStage(ctx, patch);
    const custom =
      patch.custom_fields === undefined
        ? null
        : await validateValues(ctx, ['tickets'], patch.custom_fields, present.custom_fields);
    const before = await db.row<TicketRow>(
      'SELECT * FROM tickets WHERE workspace_id = $workspaceId AND id = $id FOR UPDATE',
      { workspaceId: ctx.workspaceId, id },
    );
    if (!before) throw notFound();
    await checkLinks(ctx, id, patch);
    if (wanted) refuseOtherPipeline(patch, wanted, before);
    // The pipeline that it is in already, without a stage, asks for nothing.
    const stage =
      wanted &&
      wanted.id !== before.stage_id &&
      !(patch.stage === undefined && wanted.pipeline_id === before.pipeline_id)
        ? wanted
        : null;

    const { sets, bind, changes } = assignments(before, { ...patch, receiver: contacts.receiver });
    if (custom && (Object.keys(custom.set).length > 0 || custom.remove.length > 0)) {
      sets.push('custom_fields = (t.custom_fields || $custom::jsonb) - $customRemoved::text[]');
      Object.assign(bind, { custom: JSON.stringify(custom.set), customRemoved: custom.remove });
      const after = Object.fromEntries(
        Object.entries({ ...before.custom_fields, ...custom.set }).filter(([name]) => !custom.remove.includes(name)),
      );
      if (!sameValue(after, before.custom_fields)) changes['custom_fields'] = { from: before.custom_fields, to: after };
    }
    if (stage) {
      sets.push('pipeline_id = $pipelineId', 'stage_id = $stageId', clockSets);
      Object.assign(bind, {
        pipelineId: stage.pipeline_id,
        stageId: stage.id,
        terminal: stage.is_terminal,
        pauses: stage.pauses_sla,
        now: ctx.runtime.clock.now(),
      });
    }
    const events = await lists(ctx, id, contacts.affected, patch.watcher_ids);
    if (Object.keys(changes).length > 0)
      events.push({ subjectType: 'ticket', subjectId: id, kind: kindOf(changes), changes });
    if (stage) events.push(stageEvent(before, stage));
    if (sets.length === 0 && events.length === 0) return findTicket(ctx, id);
    const row = await db.row<{ id: number; due: Date | null; timed: boolean; version: number }>(
      `UPDATE tickets t SET ${[...sets, 'updated_at = now()'].join(', ')} WHERE t.workspace_id = $workspaceId AND t.id = $id
       RETURNING t.id, ${dueSql} AS due, ${hasDeadlineSql} AS timed, t.sla_version AS version`,
      { ...bind, workspaceId: ctx.workspaceId, id },
    );
    await recordEvents(ctx, events);
    if (stage && row?.timed) await armTickets(ctx, [row]);
    if (stage) await recordMove(ctx, id, stage);
    return findTicket(ctx, id);
  });
}

/** Moves a ticket to a stage of its pipeline; what PATCH with `stage` does. */
export async function moveStage(ctx: Ctx, id: number, stageId: number): Promise<TicketView> {
  return updateTicket(ctx, id, { stage: stageId });
}

/** Hands a ticket up to a member, with a reason for the activity feed. Throws 400 and 404. */
export async function escalateTicket(
  ctx: Ctx,
  id: number,
  values: { readonly escalated_to: number; readonly reason?: string | null | undefined },
): Promise<TicketView> {
  const { db, clock } = ctx.runtime;
  return db.transaction(async () => {
    const before = await db.row<{ escalated_to_id: number | null }>(
      'SELECT escalated_to_id FROM tickets WHERE workspace_id = $workspaceId AND id = $id FOR UPDATE',
      { workspaceId: ctx.workspaceId, id },
    );
    if (!before) throw notFound();
    await checkMember(ctx, 'escalated_to', values.escalated_to);
    await db.rows(
      'UPDATE tickets SET escalated_at = $now, escalated_to_id = $to, updated_at = now() WHERE workspace_id = $workspaceId AND id = $id',
      {
        workspaceId: ctx.workspaceId,
        id,
        now: clock.now(),
        to: values.escalated_to,
      },
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
    // Locked first: what is being prepared is stored before, or not at all.
    const notifications = await db.rows<{ message_id: number | null }>(
      `SELECT r.message_id FROM ticket_stage_moves v JOIN ticket_stage_move_recipients r ON r.move_id = v.id
       WHERE v.workspace_id = $workspaceId AND v.ticket_id = $id FOR UPDATE OF r`,
      { workspaceId: ctx.workspaceId, id },
    );
    const row = await db.row<{ id: number; timed: boolean; version: number }>(
      `DELETE FROM tickets t WHERE t.workspace_id = $workspaceId AND t.id = $id RETURNING t.id, ${hasDeadlineSql} AS timed, t.sla_version + 1 AS version`,
      { workspaceId: ctx.workspaceId, id },
    );
    if (!row) throw notFound();
    const messageIds = notifications.flatMap(({ message_id: messageId }) => messageId ?? []);
    await failQueued(ctx, messageIds, {
      title: 'Ticket deleted',
      message: 'The ticket that this message was about was deleted before it was sent.',
    });
    await recordEvents(ctx, [{ subjectType: 'ticket', subjectId: id, kind: 'ticket_deleted' }]);
    if (row.timed) await armTickets(ctx, [{ ...row, due: null }]);
  });
}

const columns = [
  ['title', 'title'],
  ['description', 'description'],
  ['receiver', 'receiver_id'],
  ['assigned_to', 'assigned_to_id'],
  ['assigned_inbox', 'assigned_inbox_id'],
  ['parent_ticket', 'parent_ticket_id'],
  ['duplicate_of', 'duplicate_of_id'],
  ['due_at', 'due_at'],
  ['outcome', 'outcome'],
  ['type', 'type'],
  ['severity', 'severity'],
  ['priority', 'priority'],
] as const;

type Changes = Record<string, { from: unknown; to: unknown }>;

/** Column assignments of what really changes. */
function assignments(before: TicketRow, patch: TicketPatch): { sets: string[]; bind: Bind; changes: Changes } {
  const sets: string[] = [];
  const bind: Bind = {};
  const changes: Changes = {};
  for (const [field, column] of columns) {
    const value = patch[field];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(before[column])) continue;
    sets.push(`${column} = $${column}`);
    bind[column] = value;
    changes[field] = { from: before[column], to: value };
  }
  if (patch.tags !== undefined && !sameValue(patch.tags, before.tags)) {
    sets.push('tags = $tags::jsonb');
    bind['tags'] = JSON.stringify(patch.tags);
    // The same tags in another order are kept as written, and are no change to tell of.
    if (!sameMembers(patch.tags, before.tags)) changes['tags'] = { from: before.tags, to: patch.tags };
  }
  return { sets, bind, changes };
}

function kindOf(changes: Changes): string {
  const names = Object.keys(changes);
  if (names.every((name) => name === 'assigned_to' || name === 'assigned_inbox')) return 'assignment_changed';
  return names.length === 1 && names[0] === 'priority' ? 'priority_changed' : 'ticket_updated';
}

function stageEvent(before: TicketRow, stage: Stage): EventInput {
  const changes: Changes = { stage: { from: before.stage_id, to: stage.id } };
  if (before.pipeline_id !== stage.pipeline_id)
    changes['pipeline'] = { from: before.pipeline_id, to: stage.pipeline_id };
  return {
    subjectType: 'ticket',
    subjectId: before.id,
    kind: 'stage_changed',
    changes,
    data: { stage_name: stage.name, notified: stage.notify_template_pk !== null },
  };
}

/** Replaces the lists that are given; gives the events of those that changed. */
async function lists(
  ctx: Ctx,
  id: number,
  affected: readonly number[] | undefined,
  watchers: readonly number[] | undefined,
): Promise<EventInput[]> {
  const events: EventInput[] = [];
  if (affected) {
    const rows = await ctx.runtime.db.rows<{ contact_id: number }>(
      'SELECT contact_id FROM ticket_contacts WHERE ticket_id = $id ORDER BY position, contact_id',
      { id },
    );
    const before = rows.map((row) => row.contact_id);
    if (!sameValue(before, affected)) await writeAffected(ctx, id, affected);
    if (!sameMembers(before, affected)) events.push(affectedEvent(id, before, affected));
  }
  if (watchers) {
    const { before, after } = await writeWatchers(ctx, id, watchers);
    if (!sameMembers(before, after))
      events.push({
        subjectType: 'ticket',
        subjectId: id,
        kind: 'watchers_changed',
        changes: { watcher_ids: { from: before, to: after } },
      });
  }
  return events;
}

function affectedEvent(id: number, before: readonly number[], after: readonly number[]): EventInput {
  return {
    subjectType: 'ticket',
    subjectId: id,
    kind: 'affected_contacts_changed',
    changes: { affected_contact_ids: { from: before, to: after } },
  };
}

/** Replaces the whole list in one statement. */
async function writeAffected(ctx: Ctx, id: number, ids: readonly number[]): Promise<void> {
  await ctx.runtime.db.rows(
    `WITH gone AS (DELETE FROM ticket_contacts WHERE ticket_id = $id AND contact_id <> ALL($ids::bigint[]))
     INSERT INTO ticket_contacts AS tc (ticket_id, contact_id, position) SELECT $id, w.contact_id, w.place FROM unnest($ids::bigint[]) WITH ORDINALITY AS w(contact_id, place)
     ON CONFLICT (ticket_id, contact_id) DO UPDATE SET position = excluded.position WHERE tc.position <> excluded.position`,
    { id, ids },
  );
}

async function writeWatchers(
  ctx: Ctx,
  id: number,
  ids: readonly number[],
): Promise<{ before: number[]; after: number[] }> {
  const rows = await ctx.runtime.db.rows<{ member_id: number }>(
    'SELECT member_id FROM ticket_watchers WHERE ticket_id = $id ORDER BY member_id',
    { id },
  );
  await ctx.runtime.db.rows(
    `WITH gone AS (DELETE FROM ticket_watchers WHERE ticket_id = $id AND member_id <> ALL($ids::bigint[]))
     INSERT INTO ticket_watchers (ticket_id, member_id) SELECT DISTINCT $id::bigint, member_id FROM unnest($ids::bigint[]) AS w(member_id) ON CONFLICT DO NOTHING`,
    { id, ids },
  );
  return { before: rows.map((row) => row.member_id), after: [...new Set(ids)].sort((left, right) => left - right) };
}
