import { createTicket } from '../factories/tickets';
import { count, told, valueOf, type Place, type Row, type Write } from './storedRows';

const named = (table: string, column: string): Row => count(table, `${column} = $mark`);

/** A property, which saves itself, of a ticket of its own. */
const property = (name: string, column: string, fill: Write['fill'] = {}): [string, Write] => [
  `POST tickets/:id/edit/${name}`,
  {
    prepare: async (place) => (place.made = (await createTicket(place.show.workspace)).id),
    at: ({ made }) => `/dashboard/tickets/${made}/`,
    fill,
    row: told('tickets', column, ({ made }) => made),
  },
];

/** What the controls of tickets leave. */
export const ticketWrites: ReadonlyMap<string, Write> = new Map<string, Write>([
  ['POST tickets/new/', { fill: ({ mark }) => ({ title: mark }), row: named('tickets', 'title'), is: 1 }],
  property('', 'due_at', { due_at: '2031-05-06T07:08' }),
  ...['priority', 'severity', 'type', 'outcome'].map((name) => property(` ${name}`, name)),
  property(' title', 'title', { title: 'Called otherwise' }),
  property(' pipeline', 'pipeline_id'),
  property(' assigned_to', 'assigned_to_id'),
  property(' assigned_inbox', 'assigned_inbox_id'),
  property(' tags', 'tags', { tags: 'late' }),
  ...['parent_ticket', 'duplicate_of'].map((name) =>
    property(` typed.${name}`, `${name}_id`, ({ show }) => ({ [`typed.${name}`]: `#${show.ticket}` })),
  ),
  ...Object.entries({ size: '42', note: 'Fragile', kinds: undefined, level: undefined }).map(([name, value]) =>
    property(` custom.${name}`, `custom_fields->'${name}'`, value === undefined ? {} : { [name]: value }),
  ),
  [
    'POST tickets/:id/edit/ stage=#',
    {
      at: ({ show }) => `/dashboard/tickets/${show.ticket}/`,
      row: told('tickets', 'stage_id', ({ show }) => show.ticket),
    },
  ],
  [
    'POST tickets/:id/edit/ assigned_to=#',
    {
      prepare: ({ show, mark }) => createTicket(show.workspace, { title: mark }),
      at: () => '/dashboard/tickets/?view=list',
      row: count('tickets', 'title = $mark AND assigned_to_id IS NULL'),
      is: 0,
    },
  ],
  [
    'POST tickets/:id/edit/ (the text)',
    {
      at: ({ show }) => `/dashboard/tickets/${show.ticket}/?edit=1`,
      fill: ({ mark }) => ({ description: mark }),
      row: told('tickets', 'description = $mark', ({ show }) => show.ticket),
      is: true,
    },
  ],
  [
    'POST tickets/:id/comments/',
    { fill: ({ mark }) => ({ body: mark }), row: named('ticket_comments', 'body'), is: 1 },
  ],
  [
    'POST tickets/:id/escalate/',
    {
      fill: ({ show, mark }) => ({ escalated_to: String(show.member), reason: mark }),
      row: told('tickets', 'escalated_at', ({ show }) => show.ticket),
    },
  ],
  ...[
    ['', 1],
    [' remove=#', -1],
  ].map(([verb, change]): [string, Write] => [
    `POST tickets/:id/contacts/${verb}`,
    {
      at: ({ show }) => `/dashboard/tickets/${show.ticket}/`,
      ...(change === 1 ? { fill: ({ show }: Place) => ({ 'typed.add': show.merged }) } : {}),
      row: (place) =>
        valueOf(place, 'SELECT count(*)::int AS it FROM ticket_contacts WHERE ticket_id = $id', {
          id: place.show.ticket,
        }),
    },
  ]),
  ...['true', 'false'].map((value): [string, Write] => [
    `POST tickets/:id/watch/ watch=${value}`,
    {
      at: ({ show }) => `/dashboard/tickets/${show.ticket}/`,
      row: (place) =>
        valueOf(
          place,
          'SELECT (count(*) > 0)::text AS it FROM ticket_watchers WHERE ticket_id = $id AND member_id = $me',
          { id: place.show.ticket, me: place.member.id },
        ),
      is: value,
    },
  ]),
]);
