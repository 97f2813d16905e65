import { memberScopes } from '../../../core/http/access';
import { boolean, choice, described, email, input, list, required, text } from '../../../core/http/fields';
import { operation, type Operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { passwordRule } from '../../identity/members/passwordStrength';
import { teamMember, teamMemberProperties } from '../../identity/members/serializer';
import {
  createMember,
  getMember,
  memberRoles,
  refuseEscalation,
  type MemberChanges,
  type MemberRecord,
} from '../../identity/members/service';
import { keptFields } from './fields';
import { leftProperties, leftView, madeBy, madeShape, madeView } from './made';
import { changeMember } from './service';

const managedShape = {
  ...teamMemberProperties,
  permissions: wire.list(
    wire.text('What the member may do; owners everything, admins all but `billing`, unless given.'),
  ),
};

function managedView(row: MemberRecord): Record<string, unknown> {
  return { ...teamMember(row), permissions: memberScopes(row.role, row.permissions) };
}

const password = (): ReturnType<typeof text> => text({ max: 1_024, blank: false, trim: false });
const permissions = (): ReturnType<typeof list<string>> => list(text({ max: 64, blank: false }), { max: 100 });

/** Members, for the dashboard's settings; a manager of the workspace can give what they hold themselves. */
export const memberManagementOperations: readonly Operation[] = [
  operation({
    id: 'teamMembers.create',
    method: 'POST',
    path: '/api/v1/team-members/',
    tag: 'Team',
    summary: 'Add a team member',
    description: 'Without `password` one is made up, and shown in this answer only.',
    scope: 'workspace.manage',
    audience: 'session',
    body: input({
      email: required(email()),
      name: text({ max: 255 }),
      role: choice(memberRoles),
      permissions: described(
        permissions(),
        'For agents: names of scopes, or `all`. For admins: `billing`, which an owner may give.',
      ),
      password: described(password(), passwordRule),
    }),
    status: 201,
    output: wire.named('CreatedTeamMember', {
      ...managedShape,
      password: wire.nullable(wire.text('The generated password.')),
    }),
    examples: {
      request: {
        email: 'maria@example.com',
        name: 'Maria',
        role: 'agent',
        permissions: ['chat.view', 'chat.send_message', 'chat.assign'],
      },
    },
    run: async (ctx, { email: address, name, role, permissions: given, password: chosen }) => {
      const values = { email: address, role: role ?? 'agent', name, permissions: given, password: chosen } as const;
      await refuseEscalation(ctx, null, values);
      const { member, password: generated } = await createMember(ctx, values);
      return { ...managedView(member), password: generated };
    },
  }),
  operation({
    id: 'teamMembers.update',
    method: 'PATCH',
    path: '/api/v1/team-members/{id}/',
    intParams: ['id'],
    tag: 'Team',
    summary: 'Change a team member',
    description:
      'An inactive member cannot sign in, and their keys and agents are refused. A new password ends their sessions; ' +
      'their keys and agents go on working unless `revoke_api_keys` and `disconnect_agents` are true. Webhooks and ' +
      'scheduled broadcasts that were made with what is taken are stopped, unless `keep_webhooks` or ' +
      '`keep_broadcasts` is true: the answer lists them.',
    scope: 'workspace.manage',
    audience: 'session',
    conflicts: {
      when: 'The last active owner cannot be demoted or deactivated.',
      example: 'This is the last active owner of the workspace. Make somebody else an owner first.',
    },
    locate: (ctx, { id }) => getMember(ctx, id),
    body: input({
      name: text({ max: 255 }),
      role: choice(memberRoles),
      permissions: described(permissions(), 'Replaces all of them.'),
      is_active: boolean(),
      password: described(password(), passwordRule),
      revoke_api_keys: boolean(),
      disconnect_agents: boolean(),
      ...keptFields,
    }),
    status: 200,
    output: wire.named('ManagedTeamMember', { ...managedShape, ...leftProperties }),
    examples: { params: { id: 2 }, request: { name: 'Sam Smith', permissions: ['chat.view', 'contact.view'] } },
    run: async (ctx, { id, ...values }) => {
      const { name, role, permissions: given, is_active: isActive, password: chosen } = values;
      const changes: MemberChanges = { name, role, permissions: given, isActive, password: chosen };
      const consequences = {
        revokeKeys: values.revoke_api_keys ?? false,
        disconnectAgents: values.disconnect_agents ?? false,
        keepWebhooks: values.keep_webhooks ?? false,
        keepBroadcasts: values.keep_broadcasts ?? false,
      };
      const check = (known: MemberRecord): Promise<void> => refuseEscalation(ctx, known, changes);
      const { member, ended } = await changeMember(ctx, id, changes, consequences, { check });
      return { ...managedView(member), ...leftView(ended) };
    },
  }),
  operation({
    id: 'teamMembers.made',
    method: 'GET',
    path: '/api/v1/team-members/{id}/made/',
    intParams: ['id'],
    tag: 'Team',
    summary: 'List what a member made that goes on by itself',
    description:
      'Active webhooks and scheduled broadcasts that the member made, in the dashboard or with a key: they are ' +
      'stopped when the member is deactivated, unless you say otherwise.',
    scope: 'workspace.manage',
    audience: 'session',
    status: 200,
    output: madeShape,
    run: async (ctx, { id }) => madeView(await madeBy(ctx, { memberId: (await getMember(ctx, id)).id })),
  }),
];
