import { Option, type Command } from 'commander';
import { systemCtx } from '../api/core/context';
import { makeLink } from '../api/services/identity/members/links';
import {
  createMember,
  getMember,
  memberRoles,
  workspaceOfMemberAnywhere,
  type MemberRecord,
  type MemberRole,
} from '../api/services/identity/members/service';
import { leftView } from '../api/services/processes/credentials/ownedByMember';
import { changeMember, loseFactors } from '../api/services/processes/credentials/service';
import {
  cliRequestId,
  ctxOf,
  group,
  id,
  keepBroadcasts,
  keepWebhooks,
  keptOf,
  recorded,
  repeated,
  requireSome,
  yesOrNo,
  type Deps,
  type KeptOptions,
  type Result,
} from './deps';

interface MemberOptions extends KeptOptions {
  readonly name?: string;
  readonly password?: string;
  readonly role?: MemberRole;
  readonly permission?: string[];
  readonly active?: boolean;
  readonly revokeKeys?: boolean;
  readonly disconnectAgents?: boolean;
  readonly pauseRules?: boolean;
}

/** Registers `member create`, `link`, `forget-factors` and `update`. */
export function registerMember(program: Command, deps: Deps): void {
  const member = group(program, 'member', 'Create, change and list the members of a workspace.');

  member
    .command('create')
    .description('Create a member. Without --password a link is printed by which they choose one within an hour.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .requiredOption('--email <email>', 'what the member signs in with; unique in the installation')
    .option('--name <name>', 'full name (default: made from the email)')
    .option(
      '--password <password>',
      'at least 8 characters, not a commonly used one; - reads it from standard input',
      deps.secret,
    )
    .addOption(role().default('agent'))
    .option('--permission <permission>', 'repeatable: for agents a scope or "all", for admins "billing"', repeated)
    .action(
      async (
        options: MemberOptions & { readonly workspace: number; readonly email: string; readonly role: MemberRole },
      ) => {
        await deps.run(async (runtime) => {
          const { email, role: chosen, name, permission: permissions } = options;
          const ctx = await ctxOf(runtime, options.workspace);
          return recorded(ctx, 'teamMembers.create', options, async () => {
            const row = await createMember(ctx, {
              email,
              role: chosen,
              name,
              password: options.password,
              permissions,
            });
            if (options.password !== undefined) return shown(row);
            return { ...shown(row), link: (await makeLink(ctx, row.id)).url };
          });
        });
      },
    );

  member
    .command('link')
    .description('Print a link by which a member chooses a new password: it works once, within an hour.')
    .argument('<id>', 'id of the member', id)
    .action(async (memberId: number) => {
      await deps.run(async (runtime) => {
        const ctx = systemCtx(runtime, await workspaceOfMemberAnywhere(runtime, memberId), cliRequestId);
        return recorded(ctx, 'teamMembers.makeLink', {}, async () => {
          const { url, expiresAt } = await makeLink(ctx, memberId);
          return { id: memberId, link: url, expires_at: expiresAt };
        });
      });
    });

  member
    .command('forget-factors')
    .description('Remove the second factors of a member who has lost them; ends their sessions and tells them.')
    .argument('<id>', 'id of the member', id)
    .action(async (memberId: number) => {
      await deps.run(async (runtime) => {
        const ctx = systemCtx(runtime, await workspaceOfMemberAnywhere(runtime, memberId), cliRequestId);
        return recorded(ctx, 'teamMembers.forgetFactors', {}, async () => {
          await loseFactors(ctx, await getMember(ctx, memberId));
          return { id: memberId };
        });
      });
    });

  member
    .command('update')
    .description("Change a member; what is not given stays. The member's API keys lose the same permissions.")
    .argument('<id>', 'id of the member', id)
    .option('--name <name>', 'full name')
    .option('--password <password>', 'new password; ends the sessions; - reads it from standard input', deps.secret)
    .addOption(role())
    .option('--permission <permission>', 'repeatable; replaces all of them: a scope, "all" or "none"', repeated)
    .option('--revoke-keys', "revoke the member's API keys")
    .option('--disconnect-agents', 'disconnect the agents that the member connected')
    .option(...keepWebhooks)
    .option(...keepBroadcasts)
    .option('--pause-rules', 'pause the rules that name a member who leaves')
    .option('--active <true|false>', 'an inactive member cannot sign in and their keys do not work', yesOrNo)
    .action(async (memberId: number, options: MemberOptions) => {
      requireSome(options as Record<string, unknown>);
      await deps.run(async (runtime) => {
        const workspaceId = await workspaceOfMemberAnywhere(runtime, memberId);
        const { name, password, role: chosen, permission: permissions, active: isActive } = options;
        const changes = { name, password, role: chosen, permissions, isActive };
        const ctx = systemCtx(runtime, workspaceId, cliRequestId);
        return recorded(ctx, 'teamMembers.update', options, async () => {
          const { member: row, ended } = await changeMember(ctx, memberId, changes, {
            revokeKeys: options.revokeKeys === true,
            disconnectAgents: options.disconnectAgents === true,
            ...keptOf(options),
            pauseRules: options.pauseRules === true,
          });
          return { ...shown(row), ...leftView(ended) };
        });
      });
    });
}

function role(): Option {
  return new Option(
    '--role <role>',
    'owners may do everything, admins all but billing, agents what they are permitted',
  ).choices([...memberRoles]);
}

function shown(row: MemberRecord): Result & { readonly id: number } {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    email: row.email,
    name: row.name,
    role: row.role,
    permissions: row.permissions,
    is_active: row.is_active,
  };
}
