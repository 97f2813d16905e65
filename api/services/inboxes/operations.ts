import { operation, type Operation } from '../../core/operations';
import { wire } from '../../core/shapes';
import { teamInbox, teamInboxShape } from './serializer';
import { listInboxes } from './service';

/** Team inboxes over the API (contract C15). */
export const inboxOperations: readonly Operation[] = [
  operation({
    id: 'team_inboxes.list',
    method: 'GET',
    path: '/api/v1/team-inboxes/',
    tag: 'Team',
    summary: 'List team inboxes',
    description: 'All team inboxes of the workspace, as a plain array.',
    scope: 'inbox.view',
    status: 200,
    output: wire.list(teamInboxShape),
    run: async (ctx) => (await listInboxes(ctx)).map(teamInbox),
  }),
];
