import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { changeContacts } from './contacts';
import { bulkChangeInput, bulkContactsInput, bulkTicketsInput, whichInput } from './schema';
import { changeMany, markManyUnread, undoMany } from './service';
import { changeTickets, previewTickets, undoTickets } from './tickets';

const path = '/api/v1/bulk-changes/';
const common = { tag: 'Teamwork', scope: 'chat.assign', audience: 'session' } as const;
const ofTickets = { tag: 'Tickets', scope: 'ticket.manage', audience: 'session' } as const;
const ofContacts = { tag: 'Contacts', scope: 'contact.edit', audience: 'session' } as const;

export const bulkOutcomeShape = wire.named('BulkOutcome', {
  id: wire.nullable(wire.integer()),
  matched: wire.integer('How many were selected, or matched.'),
  changed: wire.integer('How many are different now.'),
  unchanged: wire.integer('They had these values already.'),
  refused: wire.integer('They were gone by then, do not take the change, or the service was too busy for them.'),
});
export const bulkUndoShape = wire.named('BulkUndo', {
  restored: wire.integer('How many are as they were before.'),
  kept: wire.integer('How many were changed again since, and stay.'),
});
export const bulkPreviewShape = wire.named('BulkPreview', {
  matched: wire.integer('How many are selected, or match.'),
  told: wire.integer('How many contacts the change sends a template.'),
});
/** An undo that comes too late, and what it is of. */
const undoing = {
  method: 'POST',
  intParams: ['id'],
  params: { id: 'The `id` that the change answered.' },
  description: 'Your own, within 60 seconds. What was changed again since stays as it is.',
  status: 200,
  output: bulkUndoShape,
  conflicts: { when: 'It was done too long ago.', example: 'This was done more than 60 seconds ago.' },
} as const;

/** Changes of many conversations, contacts or tickets at once (contract 18.3). */
export const bulkChangeOperations = [
  operation({
    ...common,
    id: 'bulkChanges.create',
    method: 'POST',
    path,
    summary: 'Change many conversations',
    description:
      'A selection (`receiver_ids`) or all that match `filters`, at most 1,000. `id` takes it back within 60 ' +
      'seconds; it is null where nothing was changed.',
    body: bulkChangeInput,
    status: 201,
    output: bulkOutcomeShape,
    examples: { request: { filters: { tag: 'no such tag' }, change: { conv_status: 'resolved' } } },
    run: (ctx, input) => changeMany(ctx, input),
  }),
  operation({
    ...common,
    scope: 'chat.view',
    id: 'unreadMarks.create',
    method: 'POST',
    path: '/api/v1/unread-marks/',
    summary: 'Mark conversations as unread, for yourself',
    description:
      'A selection (`receiver_ids`) or all that match `filters`, at most 1,000. Beside `unread_count`, which is the ' +
      'team’s; reading a conversation takes the mark away.',
    body: whichInput,
    status: 200,
    output: wire.named('UnreadMarks', { marked: wire.integer('How many have the mark now.') }),
    examples: { request: { filters: { tag: 'no such tag' } } },
    run: async (ctx, input) => ({ marked: await markManyUnread(ctx, input) }),
  }),
  operation({
    ...common,
    ...undoing,
    id: 'bulkChanges.undo',
    path: `${path}{id}/undo/`,
    summary: 'Take a bulk change back',
    run: (ctx, input) => undoMany(ctx, input.id),
  }),
  operation({
    ...ofContacts,
    id: 'bulkChanges.contacts',
    method: 'POST',
    path: `${path}contacts/`,
    summary: 'Change many contacts',
    description:
      'A selection (`receiver_ids`) or all that match `filters`, at most 1,000: tags, and opting out of marketing. ' +
      '`id` takes it back within 60 seconds; it is null where nothing was changed.',
    body: bulkContactsInput,
    status: 201,
    output: bulkOutcomeShape,
    examples: { request: { filters: { tag: 'no such tag' }, change: { add_tags: ['fair'] } } },
    run: (ctx, input) => changeContacts(ctx, input),
  }),
  operation({
    ...ofContacts,
    ...undoing,
    id: 'bulkChanges.undoContacts',
    path: `${path}contacts/{id}/undo/`,
    summary: 'Take a bulk change of contacts back',
    run: (ctx, input) => undoMany(ctx, input.id, 'contacts'),
  }),
  operation({
    ...ofTickets,
    id: 'bulkChanges.tickets',
    method: 'POST',
    path: `${path}tickets/`,
    summary: 'Change many tickets',
    description:
      'A selection (`ticket_ids`) or all that match `filters`, at most 1,000: stage, priority, assignment, tags. ' +
      '`id` takes it back within 60 seconds; it is null where nothing was changed.',
    body: bulkTicketsInput,
    status: 201,
    output: bulkOutcomeShape,
    examples: { request: { filters: { tag: 'no such tag' }, change: { priority: 'high' } } },
    run: (ctx, input) => changeTickets(ctx, input),
  }),
  operation({
    ...ofTickets,
    id: 'bulkChanges.previewTickets',
    method: 'POST',
    path: `${path}tickets/preview/`,
    summary: 'Count what a change of many tickets is for',
    description: 'Changes nothing: how many tickets it is for, and how many contacts it would send a template.',
    body: bulkTicketsInput,
    status: 200,
    output: bulkPreviewShape,
    examples: { request: { filters: { tag: 'no such tag' }, change: { priority: 'high' } } },
    run: (ctx, input) => previewTickets(ctx, input),
  }),
  operation({
    ...ofTickets,
    ...undoing,
    id: 'bulkChanges.undoTickets',
    path: `${path}tickets/{id}/undo/`,
    summary: 'Take a bulk change of tickets back',
    description: `${undoing.description} So does a move where one of both ways tells a contact.`,
    run: (ctx, input) => undoTickets(ctx, input.id),
  }),
];
