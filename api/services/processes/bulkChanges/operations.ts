import { operation, type Operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { bulkChangeInput, whichInput } from './schema';
import { changeMany, markManyUnread, undoMany } from './service';

const path = '/api/v1/bulk-changes/';
const common = { tag: 'Teamwork', scope: 'chat.assign', audience: 'session' } as const;

/** Changes of many conversations at once (contract 18.3). */
export const bulkChangeOperations: readonly Operation[] = [
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
    output: wire.named('BulkOutcome', {
      id: wire.nullable(wire.integer()),
      matched: wire.integer('How many were selected, or matched.'),
      changed: wire.integer('How many are different now.'),
      unchanged: wire.integer('They had these values already.'),
      refused: wire.integer('They were gone by then, do not take the change, or the service was too busy for them.'),
    }),
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
    id: 'bulkChanges.undo',
    method: 'POST',
    path: `${path}{id}/undo/`,
    intParams: ['id'],
    params: { id: 'The `id` that the change answered.' },
    summary: 'Take a bulk change back',
    description: 'Your own, within 60 seconds. What was changed again since stays as it is.',
    status: 200,
    output: wire.named('BulkUndo', {
      restored: wire.integer('How many are as they were before.'),
      kept: wire.integer('How many were changed again since, and stay.'),
    }),
    conflicts: { when: 'It was done too long ago.', example: 'This was done more than 60 seconds ago.' },
    run: (ctx, input) => undoMany(ctx, input.id),
  }),
];
