import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { memberListQuery } from './schema';
import { teamMember, teamMemberShape } from './serializer';
import { listMembers } from './service';

/** Team members over the API (contract 15). */
export const memberOperations = [
  operation({
    id: 'teamMembers.list',
    method: 'GET',
    path: '/api/v1/team-members/',
    tag: 'Team',
    summary: 'List team members',
    description: 'The people of the workspace. Use `id` as `assigned_member` or `assigned_to`.',
    scope: 'team.view',
    query: memberListQuery,
    status: 200,
    output: wire.page(teamMemberShape),
    run: async (ctx, query) => {
      const page = await listMembers(ctx, query);
      return { ...page, items: page.items.map(teamMember) };
    },
  }),
];
