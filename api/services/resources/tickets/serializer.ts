import type { TicketRow } from '../../../../models';
import { isoTime, wire } from '../../../core/shapes';
import { priorities } from '../contacts/schema';
import { userFromJson, userJsonSql, type UserJson } from '../../identity/members/userColumns';
import { userObject, userObjectShape } from '../../identity/members/userObject';
import { outcomes, severities, sources, ticketTypes } from './schema';

const phoneSql = (alias: string): string =>
  `CASE WHEN ${alias}.phone IS NULL THEN ${alias}.bsuid ELSE '+' || ${alias}.phone END`;
const related = (column: string): string =>
  `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'title', o.title, 'stage_name', os.name) ORDER BY o.id), '[]')
    FROM tickets o JOIN ticket_stages os ON os.id = o.stage_id WHERE (o.workspace_id = t.workspace_id) IS TRUE AND o.${column} = t.id)`;

/** Columns of a ticket `t` with everything that its wire form names, for `ticketFrom`: one statement for any number of rows. */
export const ticketColumns = `t.title, t.description, t.pipeline_id, t.stage_id, t.receiver_id, t.assigned_to_id, t.assigned_inbox_id, t.parent_ticket_id, t.duplicate_of_id,
  t.reopened_count, t.last_customer_at, t.escalated_at, t.escalated_to_id, t.created_by_id, t.due_at, t.type, t.severity, t.priority, t.source, t.outcome, t.sla_policy_id,
  t.first_response_at, t.first_response_sla, t.resolution_sla, t.sla_paused_at, t.sla_paused_ms, t.sla_breached, t.closed_at, t.tags, t.created_at, t.updated_at,
  t.custom_fields - coalesce((SELECT array_agg(f.name::text) FROM custom_fields f WHERE f.workspace_id = $workspaceId AND NOT f.applies_to @> '{tickets}'), '{}') AS custom_fields,
  p.name AS pipeline_name, s.name AS stage_name, s.color AS stage_color, r.name AS receiver_name, ${phoneSql('r')} AS receiver_phone,
  a.name AS assigned_to_name, e.name AS escalated_to_name,
  (SELECT count(*)::text FROM ticket_comments k WHERE k.workspace_id = t.workspace_id AND k.ticket_id = t.id) AS comment_count,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name, 'phone', ${phoneSql('c')}) ORDER BY tc.position, c.id), '[]')
    FROM ticket_contacts tc JOIN contacts c ON c.id = tc.contact_id WHERE tc.ticket_id = t.id) AS affected_contacts,
  (SELECT coalesce(jsonb_agg(${userJsonSql('w')} ORDER BY w.id), '[]') FROM ticket_watchers tw JOIN members w ON w.id = tw.member_id WHERE tw.ticket_id = t.id) AS watchers,
  ${related('parent_ticket_id')} AS sub_tickets, ${related('duplicate_of_id')} AS duplicates`;

/** What `ticketColumns` join to a ticket `t`. */
export const ticketJoins = `JOIN ticket_pipelines p ON p.id = t.pipeline_id JOIN ticket_stages s ON s.id = t.stage_id
  LEFT JOIN contacts r ON r.id = t.receiver_id LEFT JOIN members a ON a.id = t.assigned_to_id LEFT JOIN members e ON e.id = t.escalated_to_id`;

interface RelatedTicket {
  readonly id: number;
  readonly title: string;
  readonly stage_name: string;
}

export type TicketView = Omit<TicketRow, 'workspace_id' | 'sla_version' | 'id'> & {
  readonly id: number;
  readonly pipeline_name: string;
  readonly stage_name: string;
  readonly stage_color: string;
  readonly receiver_name: string | null;
  readonly receiver_phone: string | null;
  readonly assigned_to_name: string | null;
  readonly escalated_to_name: string | null;
  readonly comment_count: string;
  readonly affected_contacts: readonly { readonly id: number; readonly name: string; readonly phone: string }[];
  readonly watchers: readonly UserJson[];
  readonly sub_tickets: readonly RelatedTicket[];
  readonly duplicates: readonly RelatedTicket[];
};

/** A ticket (contract 8.1). */
export function serializeTicket(row: TicketView): Record<string, unknown> {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    pipeline: row.pipeline_id,
    pipeline_name: row.pipeline_name,
    stage: row.stage_id,
    stage_name: row.stage_name,
    stage_color: row.stage_color,
    receiver: row.receiver_id,
    receiver_name: row.receiver_name,
    receiver_phone: row.receiver_phone,
    affected_contacts: row.affected_contacts,
    assigned_to: row.assigned_to_id,
    assigned_to_name: row.assigned_to_name,
    assigned_inbox: row.assigned_inbox_id,
    watchers: row.watchers.map((watcher) => userObject(userFromJson(watcher))),
    sub_tickets: row.sub_tickets,
    parent_ticket: row.parent_ticket_id,
    duplicate_of: row.duplicate_of_id,
    duplicates: row.duplicates,
    reopened_count: row.reopened_count,
    last_customer_at: isoTime(row.last_customer_at),
    escalated_at: isoTime(row.escalated_at),
    escalated_to: row.escalated_to_id,
    escalated_to_name: row.escalated_to_name,
    created_by: row.created_by_id,
    comment_count: row.comment_count,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    due_at: isoTime(row.due_at),
    type: row.type,
    severity: row.severity,
    priority: row.priority,
    source: row.source,
    outcome: row.outcome,
    sla_policy: row.sla_policy_id,
    first_response_at: isoTime(row.first_response_at),
    first_response_sla: isoTime(row.first_response_sla),
    resolution_sla: isoTime(row.resolution_sla),
    sla_paused_at: isoTime(row.sla_paused_at),
    // Seconds as text, as the specification types it (contract 3).
    sla_paused_duration: String(row.sla_paused_ms / 1000),
    sla_breached: row.sla_breached,
    tags: row.tags,
    custom_fields: row.custom_fields,
  };
}

const relatedShape = wire.list(
  wire.named('RelatedTicket', { id: wire.integer(), title: wire.text(), stage_name: wire.text() }),
);

/** Wire shape of `serializeTicket`. */
export const ticketShape = wire.named('Ticket', {
  id: wire.integer(),
  title: wire.text(),
  description: wire.text(),
  pipeline: wire.integer(),
  pipeline_name: wire.text(),
  stage: wire.integer(),
  stage_name: wire.text(),
  stage_color: wire.text(),
  receiver: wire.nullable(wire.integer('Id of the primary contact.')),
  receiver_name: wire.nullable(wire.text()),
  receiver_phone: wire.nullable(wire.text()),
  affected_contacts: wire.list(
    wire.named('AffectedContact', { id: wire.integer(), name: wire.text(), phone: wire.text() }),
  ),
  assigned_to: wire.nullable(wire.integer()),
  assigned_to_name: wire.nullable(wire.text()),
  assigned_inbox: wire.nullable(wire.integer()),
  watchers: wire.list(userObjectShape),
  sub_tickets: relatedShape,
  parent_ticket: wire.nullable(wire.integer()),
  duplicate_of: wire.nullable(wire.integer()),
  duplicates: relatedShape,
  reopened_count: wire.integer(),
  last_customer_at: wire.nullable(wire.datetime()),
  escalated_at: wire.nullable(wire.datetime()),
  escalated_to: wire.nullable(wire.integer()),
  escalated_to_name: wire.nullable(wire.text()),
  created_by: wire.nullable(wire.integer()),
  comment_count: wire.text(),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
  due_at: wire.nullable(wire.datetime()),
  type: wire.oneOf(ticketTypes),
  severity: wire.oneOf(severities),
  priority: wire.oneOf(priorities),
  source: wire.oneOf(sources),
  outcome: wire.nullable(wire.oneOf(outcomes)),
  sla_policy: wire.nullable(wire.integer()),
  first_response_at: wire.nullable(wire.datetime()),
  first_response_sla: wire.nullable(wire.datetime()),
  resolution_sla: wire.nullable(wire.datetime()),
  sla_paused_at: wire.nullable(wire.datetime()),
  sla_paused_duration: wire.text('Seconds that the clock stood still.'),
  sla_breached: wire.boolean(),
  tags: wire.any(),
  custom_fields: wire.map(),
});

/** A comment with its author. */
export interface CommentView {
  readonly id: number;
  readonly body: string;
  readonly is_internal: boolean;
  readonly created_at: Date;
  readonly author: UserJson | null;
}

/** A comment (contract 8.1). */
export function serializeComment(row: CommentView): Record<string, unknown> {
  return {
    id: row.id,
    body: row.body,
    is_internal: row.is_internal,
    author: row.author === null ? null : userObject(userFromJson(row.author)),
    created_at: isoTime(row.created_at),
  };
}

/** Wire shape of `serializeComment`. */
export const commentShape = wire.named('Comment', {
  id: wire.integer(),
  body: wire.text(),
  is_internal: wire.boolean(),
  author: wire.nullable(userObjectShape),
  created_at: wire.datetime(),
});
