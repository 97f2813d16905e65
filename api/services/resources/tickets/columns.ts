import type { TicketRow } from '../../../../models';
import { ticketTable } from '../../../../models/tickets';
import { userJsonSql, type UserJson } from '../../identity/members/userColumns';

const phoneSql = (alias: string): string =>
  `CASE WHEN ${alias}.phone IS NULL THEN ${alias}.bsuid ELSE '+' || ${alias}.phone END`;

const related = (column: string): string =>
  `(SELECT coalesce(
      jsonb_agg(jsonb_build_object('id', o.id, 'title', o.title, 'stage_name', os.name) ORDER BY o.id), '[]')
    FROM tickets o
    JOIN ticket_stages os ON os.id = o.stage_id
    WHERE (o.workspace_id = t.workspace_id) IS TRUE AND o.${column} = t.id)`;

/** Columns that the plain list leaves out: lists add the id, and custom fields are read without deleted ones. */
const notAsTheyAre: readonly string[] = ['id', 'workspace_id', 'custom_fields'];

/** The most affected contacts in one event, since each event of a ticket carries them. */
const contactsInEvents = 50;

/** SQL: a list of affected contacts, from rows that have their positions. */
const contactsFrom = (rows: string): string =>
  `(SELECT coalesce(
      jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name, 'phone', ${phoneSql('c')}) ORDER BY tc.position, c.id),
      '[]')
   FROM ${rows} tc JOIN contacts c ON c.id = tc.contact_id WHERE tc.ticket_id = t.id) AS affected_contacts`;

const columnsWith = (affectedContacts: string): string => `${ticketTable.columns
  .filter((name) => !notAsTheyAre.includes(name))
  .map((name) => `t.${name}`)
  .join(', ')},
  t.custom_fields - coalesce(
    (SELECT array_agg(f.name::text) FROM custom_fields f
     WHERE f.workspace_id = $workspaceId AND NOT f.applies_to @> '{tickets}'), '{}') AS custom_fields,
  p.name AS pipeline_name, s.name AS stage_name, s.color AS stage_color,
  r.name AS receiver_name, ${phoneSql('r')} AS receiver_phone,
  a.name AS assigned_to_name, e.name AS escalated_to_name,
  (SELECT count(*)::text FROM ticket_comments k
   WHERE k.workspace_id = t.workspace_id AND k.ticket_id = t.id) AS comment_count,
  ${affectedContacts},
  (SELECT coalesce(jsonb_agg(${userJsonSql('w')} ORDER BY w.id), '[]')
   FROM ticket_watchers tw JOIN members w ON w.id = tw.member_id WHERE tw.ticket_id = t.id) AS watchers,
  ${related('parent_ticket_id')} AS sub_tickets,
  ${related('duplicate_of_id')} AS duplicates`;

/**
 * SQL: the columns of a ticket `t` with everything that its wire form shows, in one statement for any number of rows.
 */
export const ticketColumns = columnsWith(contactsFrom('ticket_contacts'));

/** SQL: the columns of a ticket `t` as events show it: its first affected contacts, and how many there are. */
export const ticketColumnsInEvents = `${columnsWith(
  contactsFrom(
    `(SELECT * FROM ticket_contacts f WHERE f.ticket_id = t.id ORDER BY f.position, f.contact_id
       LIMIT ${contactsInEvents})`,
  ),
)},
  (SELECT count(*)::int FROM ticket_contacts n WHERE n.ticket_id = t.id) AS affected_contacts_total`;

/** SQL: what `ticketColumns` join to a ticket `t`. */
export const ticketJoins = `JOIN ticket_pipelines p ON p.id = t.pipeline_id
  JOIN ticket_stages s ON s.id = t.stage_id
  LEFT JOIN contacts r ON r.id = t.receiver_id
  LEFT JOIN members a ON a.id = t.assigned_to_id
  LEFT JOIN members e ON e.id = t.escalated_to_id`;

interface RelatedTicket {
  readonly id: number;
  readonly title: string;
  readonly stage_name: string;
}

interface AffectedContact {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
}

/** A ticket, with the values of other records that are shown with it. */
export interface TicketView extends Omit<TicketRow, 'workspace_id'> {
  readonly pipeline_name: string;
  readonly stage_name: string;
  readonly stage_color: string;
  readonly receiver_name: string | null;
  readonly receiver_phone: string | null;
  readonly assigned_to_name: string | null;
  readonly escalated_to_name: string | null;
  readonly comment_count: string;
  readonly affected_contacts: readonly AffectedContact[];
  readonly watchers: readonly UserJson[];
  readonly sub_tickets: readonly RelatedTicket[];
  readonly duplicates: readonly RelatedTicket[];
}

/** A ticket as events show it. */
export interface TicketInEvent extends TicketView {
  readonly affected_contacts_total: number;
}

/** A comment with its author. */
export interface CommentView {
  readonly id: number;
  readonly body: string;
  readonly is_internal: boolean;
  readonly created_at: Date;
  readonly author: UserJson | null;
}
