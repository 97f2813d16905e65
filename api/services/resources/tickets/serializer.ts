import { priorities, severities, ticketOutcomes, ticketSources, ticketTypes } from '../../../../models/enums';
import { from, shapeOf, wire, type JsonSchema } from '../../../core/http/shapes';
import { userFromJson } from '../../identity/members/userColumns';
import { userObject, userObjectShape } from '../../identity/members/userObject';
import type { CommentView, TicketInEvent, TicketView } from './columns';

const affectedContact = wire.named('AffectedContact', { id: wire.integer(), name: wire.text(), phone: wire.text() });
const relatedTicket = wire.named('RelatedTicket', {
  id: wire.integer(),
  title: wire.text(),
  stage_name: wire.text(),
});

/** A ticket (contract 8.1). */
export const { schema: ticketShape, serialize: serializeTicket } = shapeOf<TicketView>('Ticket').with({
  id: wire.integer(),
  title: wire.text(),
  description: wire.text(),
  pipeline: from(wire.integer(), (ticket) => ticket.pipeline_id),
  pipeline_name: wire.text(),
  stage: from(wire.integer(), (ticket) => ticket.stage_id),
  stage_name: wire.text(),
  stage_color: wire.text(),
  receiver: from(wire.nullable(wire.integer('Id of the primary contact.')), (ticket) => ticket.receiver_id),
  receiver_name: wire.nullable(wire.text()),
  receiver_phone: wire.nullable(wire.text()),
  affected_contacts: wire.list(affectedContact),
  assigned_to: from(wire.nullable(wire.integer()), (ticket) => ticket.assigned_to_id),
  assigned_to_name: wire.nullable(wire.text()),
  assigned_inbox: from(wire.nullable(wire.integer()), (ticket) => ticket.assigned_inbox_id),
  watchers: from(wire.list(userObjectShape), (ticket) =>
    ticket.watchers.map((watcher) => userObject(userFromJson(watcher))),
  ),
  sub_tickets: wire.list(relatedTicket),
  parent_ticket: from(wire.nullable(wire.integer()), (ticket) => ticket.parent_ticket_id),
  duplicate_of: from(wire.nullable(wire.integer()), (ticket) => ticket.duplicate_of_id),
  duplicates: wire.list(relatedTicket),
  reopened_count: wire.integer(),
  last_customer_at: wire.nullable(wire.datetime()),
  escalated_at: wire.nullable(wire.datetime()),
  escalated_to: from(wire.nullable(wire.integer()), (ticket) => ticket.escalated_to_id),
  escalated_to_name: wire.nullable(wire.text()),
  created_by: from(wire.nullable(wire.integer()), (ticket) => ticket.created_by_id),
  comment_count: wire.text(),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
  due_at: wire.nullable(wire.datetime()),
  type: wire.oneOf(ticketTypes),
  severity: wire.oneOf(severities),
  priority: wire.oneOf(priorities),
  source: wire.oneOf(ticketSources),
  outcome: wire.nullable(wire.oneOf(ticketOutcomes)),
  sla_policy: from(wire.nullable(wire.integer()), (ticket) => ticket.sla_policy_id),
  first_response_at: wire.nullable(wire.datetime()),
  first_response_sla: wire.nullable(wire.datetime()),
  resolution_sla: wire.nullable(wire.datetime()),
  sla_paused_at: wire.nullable(wire.datetime()),
  // Seconds as text, as the specification types it (contract 3).
  sla_paused_duration: from(wire.text('Seconds that the clock stood still.'), (ticket) =>
    String(ticket.sla_paused_ms / 1_000),
  ),
  sla_breached: wire.boolean(),
  tags: wire.any(),
  custom_fields: wire.map(),
});

const contactsTotal = wire.integer('How many affected contacts there are; an event shows the first 50.');

/** A ticket as events show it. */
export const ticketInEventShape = wire.named('TicketInEvent', {
  ...(ticketShape['properties'] as Record<string, JsonSchema>),
  affected_contacts_total: contactsTotal,
});

/** Returns the form of a ticket in events. */
export function serializeTicketInEvent(ticket: TicketInEvent): Record<string, unknown> {
  return { ...serializeTicket(ticket), affected_contacts_total: ticket.affected_contacts_total };
}

/** A comment (contract 8.1). */
export const { schema: commentShape, serialize: serializeComment } = shapeOf<CommentView>('Comment').with({
  id: wire.integer(),
  body: wire.text(),
  is_internal: wire.boolean(),
  author: from(wire.nullable(userObjectShape), (comment) =>
    comment.author === null ? null : userObject(userFromJson(comment.author)),
  ),
  created_at: wire.datetime(),
});
