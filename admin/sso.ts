import { Option, type Command } from 'commander';
import { getSso, removeSso, setDomain, updateSso } from '../api/services/identity/sso/service';
import { ssoView } from '../api/services/identity/sso/operations';
import { membersOfDomainAnywhere } from '../api/services/identity/members/subjects';
import { ctxOf, group, id, recorded, repeated, requireSome, yesOrNo, type Deps, type Result } from './deps';

interface SsoOptions {
  readonly workspace: number;
  readonly domain?: string;
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly newMemberRole?: 'admin' | 'agent' | 'none';
  readonly newMemberPermission?: string[];
  readonly requireSso?: boolean;
  readonly requireFactorForSso?: boolean;
}

/** `sso set`, `sso show` and `sso remove`. */
export function registerSso(program: Command, deps: Deps): void {
  const sso = group(program, 'sso', "Let members sign in by their company's OpenID Connect provider.");

  sso
    .command('set')
    .description('Give a workspace its domain, and set up its provider (owners do that in the dashboard, too).')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .option('--domain <domain>', 'whose emails sign in there; belongs to one workspace: see that it is theirs')
    .option('--issuer <url>', 'the provider, as it writes itself; "none" gives it up')
    .option('--client-id <id>', 'what the provider calls this installation')
    .option('--client-secret <secret>', 'its secret; "none" for a client without; - reads standard input', deps.secret)
    .addOption(
      new Option('--new-member-role <role>', 'what who signs in for the first time becomes').choices([
        'admin',
        'agent',
        'none',
      ]),
    )
    .option('--new-member-permission <permission>', 'repeatable; replaces all of them', repeated)
    .option('--require-sso <true|false>', 'sign in by it alone; owners also by password and factor', yesOrNo)
    .option('--require-factor-for-sso <true|false>', 'who signs in by it owes a second factor here, too', yesOrNo)
    .action(async (options: SsoOptions) => {
      const { workspace, domain, ...rest } = options;
      requireSome({ domain, ...rest });
      await deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, workspace);
        return recorded(ctx, 'sso.update', { domain, ...rest }, async () => {
          if (domain !== undefined) await setDomain(ctx, domain);
          const { newMemberRole: role } = options;
          await updateSso(ctx, {
            issuer: unlessNone(options.issuer),
            client_id: options.clientId,
            client_secret: unlessNone(options.clientSecret),
            new_member_role: role === 'none' ? null : role,
            new_member_permissions: options.newMemberPermission,
            require_sso: options.requireSso,
            require_factor_for_sso: options.requireFactorForSso,
          });
          const row = await getSso(ctx);
          return { ...shown(workspace, row), members_elsewhere: await membersOfDomainAnywhere(ctx, row.domain ?? '') };
        });
      });
    });

  sso
    .command('show')
    .description('Show the domain and the provider of a workspace.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .action(({ workspace }: SsoOptions) =>
      deps.run(async (runtime) => shown(workspace, await getSso(await ctxOf(runtime, workspace)))),
    );

  sso
    .command('remove')
    .description('Take the domain and the provider away; who came by it is signed out.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .action(({ workspace }: SsoOptions) =>
      deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, workspace);
        return recorded(ctx, 'sso.remove', {}, async () => {
          await removeSso(ctx);
          return { workspace_id: workspace };
        });
      }),
    );
}

function unlessNone(given: string | undefined): string | null | undefined {
  return given === 'none' ? null : given;
}

function shown(workspaceId: number, row: Awaited<ReturnType<typeof getSso>>): Result {
  return { workspace_id: workspaceId, ...ssoView(row) };
}
