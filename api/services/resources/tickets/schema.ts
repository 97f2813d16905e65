import { priorities, severities, ticketOutcomes, ticketSources, ticketTypes } from '../../../../models/enums';
import {
  boolean,
  choice,
  commaList,
  datetime,
  described,
  field,
  input,
  integer,
  tags,
  jsonObject,
  list,
  nullable,
  pk,
  required,
  text,
  type Field,
  type InputOf,
} from '../../../core/http/fields';
import { clampSize, orderingField, pagingQuery, type SortColumn } from '../../../core/http/paging';
import { noneOrPk, tagFilter, timeFilters } from '../contacts/schema';

/** Contacts that one ticket may affect (contract 8). */
const maxAffected = 2_500;
const maxWatchers = 200;
export const defaultLimit = 200;
const maxLimit = 1_000;

const title = text({ max: 255, blank: false });
const handle = (): Field<string> => text({ max: 160, blank: false });

const writable = {
  description: text(),
  pipeline: described(pk(), 'Without `stage`, a changed pipeline takes its first stage.'),
  stage: described(pk(), 'A stage of the pipeline. Moving into a stage that notifies sends its template.'),
  receiver: described(nullable(pk()), 'Id of the primary contact.'),
  receiver_id: described(nullable(handle()), 'The primary contact by its receiver_id, instead of `receiver`.'),
  affected_contact_ids: described(list(pk(), { max: maxAffected }), 'Replaces the whole list; left out, it stays.'),
  affected_receiver_ids: described(
    list(handle(), { max: maxAffected }),
    'The affected contacts by their receiver_ids, instead of `affected_contact_ids`.',
  ),
  assigned_to: described(nullable(pk()), 'Id of a member.'),
  assigned_inbox: nullable(pk()),
  watcher_ids: described(list(pk(), { max: maxWatchers }), 'Ids of members; replaces the whole list.'),
  parent_ticket: nullable(pk()),
  duplicate_of: nullable(pk()),
  due_at: nullable(datetime()),
  outcome: nullable(choice(ticketOutcomes)),
  type: choice(ticketTypes),
  severity: choice(severities),
  priority: choice(priorities),
  tags: described(nullable(tags()), 'Any JSON value; replaces the whole value.', ['vip']),
  custom_fields: described(jsonObject(), 'Merged: keys that are left out stay.'),
};

/** `POST /tickets/` (contract 8). */
export const createTicketInput = input({ title: required(title), ...writable });
/** `PATCH /tickets/{id}/`. */
export const updateTicketInput = input({ title, ...writable });
export type NewTicket = InputOf<typeof createTicketInput>;
export type TicketPatch = InputOf<typeof updateTicketInput>;

/** `POST …/escalate/`. */
export const escalateInput = input({
  escalated_to: described(required(pk()), 'Id of the member who takes it up.'),
  reason: nullable(text()),
});
/** `POST …/comments/`. */
export const createCommentInput = input({
  body: described(
    required(text({ blank: false })),
    'The text. `@` and the name of a member, or their first name where nobody else has it, tells that member.',
    'Called the courier.',
  ),
  is_internal: described(boolean(), 'True by default. No comment ever reaches the customer.'),
});
export type Escalation = InputOf<typeof escalateInput>;
export type NewComment = InputOf<typeof createCommentInput>;

/** The comment of an agent: always an internal note (contract 11.1). */
export const commentToolInput = input({ ticket_id: required(pk()), body: required(text({ blank: false })) });

/** Paging alone. */
export const pageQuery = input({ ...pagingQuery });

/** Columns by which tickets can be ordered. */
export const ticketSortColumns: Readonly<Record<string, SortColumn>> = {
  created_at: { sql: 't.created_at', type: 'timestamptz' },
  updated_at: { sql: 't.updated_at', type: 'timestamptz' },
  due_at: { sql: 't.due_at', type: 'timestamptz' },
  last_customer_at: { sql: 't.last_customer_at', type: 'timestamptz' },
  priority: { sql: `array_position(ARRAY['${priorities.join("', '")}'], t.priority::text)`, type: 'integer' },
  severity: { sql: 't.severity', type: 'text' },
  title: { sql: 'lower(t.title)', type: 'text' },
  id: { sql: 't.id', type: 'integer' },
};

const id = integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

function limit(): Field<number> {
  return field<number>(
    {
      type: 'integer',
      minimum: 1,
      maximum: maxLimit,
      default: defaultLimit,
      description: 'How many tickets the answer holds at most.',
    },
    (raw) => clampSize(raw, maxLimit, defaultLimit),
  );
}

/** What lists of tickets are narrowed by. */
export const ticketFilters = {
  pipeline: described(commaList(id), 'Ids of pipelines, separated by commas.'),
  stage: described(commaList(id), 'Ids of stages, separated by commas.'),
  open: described(boolean(), 'Whether the stage is not terminal.'),
  assigned_to: described(noneOrPk(), 'The `id` of a team member, or `none` for no assignee.'),
  assigned_inbox: described(noneOrPk(), 'The `id` of a team inbox, or `none`.'),
  receiver: described(id, 'The `id` of the primary contact.'),
  receiver_id: described(handle(), 'The primary contact by its receiver_id.'),
  affected_contact: described(id, 'The `id` of an affected contact.'),
  affected_receiver_id: described(handle(), 'An affected contact by its receiver_id.'),
  priority: commaList(choice(priorities)),
  severity: commaList(choice(severities)),
  type: commaList(choice(ticketTypes)),
  source: commaList(choice(ticketSources)),
  outcome: commaList(choice(ticketOutcomes)),
  tag: tagFilter(),
  sla_breached: described(boolean(), 'Whether a deadline of the service level was missed.'),
  escalated: described(boolean(), 'Whether the ticket was escalated.'),
  parent_ticket: described(noneOrPk(), 'The `id` of the parent ticket, or `none`.'),
  due_before: described(datetime(), 'Only those that are due before this time.'),
  ...timeFilters,
  search: described(text({ max: 255 }), 'Text that the title or description contains, or the id.'),
};

/** `GET /tickets/` (contract 8). */
export const listTicketsQuery = input({
  ...ticketFilters,
  ordering: orderingField(ticketSortColumns),
  limit: limit(),
  offset: described(integer({ min: 0, max: 2_147_483_647 }), 'How many tickets to skip; 0 by default.'),
});

export type TicketFilters = InputOf<typeof listTicketsQuery>;
