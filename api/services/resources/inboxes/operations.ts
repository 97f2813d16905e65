import { boolean, described, input, list, pk, required, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { namedByRules, pauseRulesField } from '../rules/naming';
import { teamInbox, teamInboxShape } from './serializer';
import { createInbox, deleteInbox, getInbox, listInboxes, updateInbox } from './service';

const memberIds = (): ReturnType<typeof list<number>> =>
  described(list(pk(), { max: 1_000 }), '`id`s of the members who belong to it.');

/** Team inboxes; written in the dashboard only. */
export const inboxOperations = [
  operation({
    id: 'teamInboxes.list',
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
  operation({
    id: 'teamInboxes.create',
    method: 'POST',
    path: '/api/v1/team-inboxes/',
    tag: 'Team',
    summary: 'Create a team inbox',
    description: 'The first one of a workspace is its default.',
    scope: 'workspace.manage',
    audience: 'session',
    body: input({
      name: required(text({ max: 255, blank: false })),
      description: text({ max: 2_000 }),
      member_ids: memberIds(),
    }),
    status: 201,
    output: teamInboxShape,
    examples: { request: { name: 'Sales', description: 'Questions before an order', member_ids: [1] } },
    run: async (ctx, { name, description, member_ids }) =>
      teamInbox(await createInbox(ctx, { name, description, memberIds: member_ids })),
  }),
  operation({
    id: 'teamInboxes.update',
    method: 'PATCH',
    path: '/api/v1/team-inboxes/{id}/',
    intParams: ['id'],
    tag: 'Team',
    summary: 'Change a team inbox',
    description: 'Fields that are left out stay as they are.',
    scope: 'workspace.manage',
    audience: 'session',
    locate: (ctx, { id }) => getInbox(ctx, id),
    body: input({
      name: text({ max: 255, blank: false }),
      description: text({ max: 2_000 }),
      member_ids: memberIds(),
      is_default: described(boolean(), 'true makes it the default in place of the present one.'),
    }),
    status: 200,
    output: teamInboxShape,
    examples: { params: { id: 2 }, request: { name: 'Returns and refunds', member_ids: [1] } },
    run: async (ctx, { id, name, description, member_ids, is_default }) =>
      teamInbox(await updateInbox(ctx, id, { name, description, memberIds: member_ids, isDefault: is_default })),
  }),
  operation({
    id: 'teamInboxes.delete',
    method: 'DELETE',
    path: '/api/v1/team-inboxes/{id}/',
    intParams: ['id'],
    tag: 'Team',
    summary: 'Delete a team inbox',
    description: 'Its conversations and tickets are not assigned to any team inbox then.',
    scope: 'workspace.manage',
    audience: 'session',
    query: input(pauseRulesField),
    locate: (ctx, { id }) => getInbox(ctx, id),
    conflicts: {
      when: `The default team inbox cannot be deleted. ${namedByRules.when}`,
      example: 'The default team inbox cannot be deleted. Make another one the default first.',
    },
    status: 204,
    output: null,
    examples: { params: { id: 2 } },
    run: (ctx, { id, pause_rules: pauseRules }) => deleteInbox(ctx, id, pauseRules),
  }),
];
