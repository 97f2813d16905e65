import { memberScopes } from '../../../core/http/access';
import { AppError } from '../../../core/http/errors';
import { boolean, choice, described, email, input, list, required, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { linkShape, linkView, makeLink } from '../../identity/members/links';
import { endSessions } from '../../identity/members/sessions';
import { teamMember, teamMemberProperties } from '../../identity/members/serializer';
import {
  createMember,
  getMember,
  memberRoles,
  refuseEscalation,
  type MemberChanges,
  type MemberRecord,
} from '../../identity/members/service';
import { namedByRules, pauseRulesField } from '../../resources/rules/naming';
import { keptFields } from './fields';
import { leftProperties, leftView, madeBy, madeShape, madeView } from './ownedByMember';
import { changeMember, loseFactors } from './service';
import { reason } from '../../resources/reasons';

const managedShape = {
  ...teamMemberProperties,
  permissions: wire.list(
    wire.text('What the member may do; owners everything, admins all but `billing`, unless given.'),
  ),
};

/** A new member, with the link by which they choose a password. */
export const createdMemberShape = wire.named('CreatedTeamMember', { ...managedShape, link: linkShape });

function managedView(row: MemberRecord): Record<string, unknown> {
  return { ...teamMember(row), permissions: memberScopes(row.role, row.permissions) };
}

const permissions = (): ReturnType<typeof list<string>> => list(text({ max: 64, blank: false }), { max: 100 });

/** Members, for the dashboard's settings; a manager of the workspace can give what they hold themselves. */
export const memberManagementOperations = [
  operation({
    id: 'teamMembers.create',
    asksAgain: true,
    method: 'POST',
    path: '/api/v1/team-members/',
    tag: 'Team',
    summary: 'Add a team member',
    description:
      'They choose a password by a link that works once, within an hour. It is mailed where the installation has ' +
      'mail: their email counts once they have used it. Else this answer shows it.',
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
    }),
    status: 201,
    output: createdMemberShape,
    examples: {
      request: {
        email: 'maria@example.com',
        name: 'Maria',
        role: 'agent',
        permissions: ['chat.view', 'chat.send_message', 'chat.assign'],
      },
    },
    run: async (ctx, { email: address, name, role, permissions: given }) => {
      const values = { email: address, role: role ?? 'agent', name, permissions: given } as const;
      await refuseEscalation(ctx, null, values);
      const member = await createMember(ctx, values);
      return { ...managedView(member), link: linkView(await makeLink(ctx, member.id)) };
    },
  }),
  operation({
    id: 'teamMembers.makeLink',
    asksAgain: true,
    method: 'POST',
    path: '/api/v1/team-members/{id}/link/',
    intParams: ['id'],
    tag: 'Team',
    summary: 'Make a link by which a member chooses a password',
    description:
      'For a member who has not signed in yet or has forgotten their password. It works once, within an hour, and ' +
      'takes the place of an earlier one. It is mailed where the installation has mail, else shown to you, this ' +
      'once. The member sees under *Your account* that it was made; their second factor is asked for as ever.',
    scope: 'workspace.manage',
    audience: 'session',
    locate: (ctx, { id }) => getMember(ctx, id),
    status: 201,
    output: linkShape,
    examples: { params: { id: 2 } },
    run: async (ctx, { id }) => {
      await refuseEscalation(ctx, await getMember(ctx, id), {});
      return linkView(await makeLink(ctx, id));
    },
  }),
  operation({
    id: 'teamMembers.forgetFactors',
    asksAgain: true,
    method: 'DELETE',
    path: '/api/v1/team-members/{id}/factors/',
    intParams: ['id'],
    tag: 'Team',
    summary: "Remove a member's second factors",
    description:
      'For a member who has lost them: owners only. Ends their sessions; they are told, and sign in with the ' +
      'password alone unless the workspace demands a factor, which they then set up anew.',
    scope: 'workspace.manage',
    audience: 'session',
    locate: (ctx, { id }) => getMember(ctx, id),
    status: 204,
    output: null,
    examples: { params: { id: 2 } },
    run: async (ctx, { id }) => {
      const [actor, member] = [await getMember(ctx, ctx.actor.memberId ?? 0), await getMember(ctx, id)];
      if (actor.role !== 'owner') throw new AppError('forbidden', reason('onlyOwners'));
      await loseFactors(ctx, member);
    },
  }),
  operation({
    id: 'teamMembers.endSessions',
    method: 'DELETE',
    path: '/api/v1/team-members/{id}/sessions/',
    intParams: ['id'],
    tag: 'Team',
    summary: "End a member's sessions",
    description: 'They are signed out everywhere, and sign in again with what they have.',
    scope: 'workspace.manage',
    audience: 'session',
    locate: (ctx, { id }) => getMember(ctx, id),
    status: 204,
    output: null,
    examples: { params: { id: 2 } },
    run: async (ctx, { id }) => {
      await refuseEscalation(ctx, await getMember(ctx, id), {});
      await endSessions(ctx, id);
    },
  }),
  operation({
    id: 'teamMembers.update',
    asksAgain: true,
    method: 'PATCH',
    path: '/api/v1/team-members/{id}/',
    intParams: ['id'],
    tag: 'Team',
    summary: 'Change a team member',
    description:
      'An inactive member cannot sign in, and their keys and agents are refused. `revoke_api_keys` and ' +
      '`disconnect_agents` end those of an active one. Webhooks and scheduled broadcasts that were made with what is ' +
      'taken are stopped, unless `keep_webhooks` or `keep_broadcasts` is true, and rules that act in their name and ' +
      'need it are paused: the answer lists them.',
    scope: 'workspace.manage',
    audience: 'session',
    conflicts: {
      when: `The last active owner cannot be demoted or deactivated. ${namedByRules.when}`,
      example: 'This is the last active owner of the workspace. Make somebody else an owner first.',
    },
    locate: (ctx, { id }) => getMember(ctx, id),
    body: input({
      name: text({ max: 255 }),
      role: choice(memberRoles),
      permissions: described(permissions(), 'Replaces all of them.'),
      is_active: boolean(),
      revoke_api_keys: boolean(),
      disconnect_agents: boolean(),
      ...keptFields,
      ...pauseRulesField,
    }),
    status: 200,
    output: wire.named('ManagedTeamMember', { ...managedShape, ...leftProperties }),
    examples: { params: { id: 2 }, request: { name: 'Sam Smith', permissions: ['chat.view', 'contact.view'] } },
    run: async (ctx, { id, ...values }) => {
      const { name, role, permissions: given, is_active: isActive } = values;
      const changes: MemberChanges = { name, role, permissions: given, isActive };
      const consequences = {
        revokeKeys: values.revoke_api_keys ?? false,
        disconnectAgents: values.disconnect_agents ?? false,
        keepWebhooks: values.keep_webhooks ?? false,
        keepBroadcasts: values.keep_broadcasts ?? false,
        pauseRules: values.pause_rules ?? false,
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
      'Active webhooks and scheduled broadcasts that the member made, in the dashboard or with a key, and rules that ' +
      'are on and act in their name: they are stopped when the member is deactivated, unless you say otherwise.',
    scope: 'workspace.manage',
    audience: 'session',
    status: 200,
    output: madeShape,
    run: async (ctx, { id }) => madeView(await madeBy(ctx, { memberId: (await getMember(ctx, id)).id })),
  }),
];
