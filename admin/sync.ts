import type { Command } from 'commander';
import { recordSecurity } from '../api/services/identity/securityLog/service';
import { syncWorkspace } from '../api/services/processes/upstreamSync/service';
import { ctxOf, id, type Deps } from './deps';

/** `sync`: what the upstream has, now. */
export function registerSync(program: Command, deps: Deps): void {
  program
    .command('sync')
    .description(
      'Fetch phone numbers, templates, flows and catalogue products from the platform, and let stopped numbers send ' +
        'again.',
    )
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .action(async (options: { readonly workspace: number }) => {
      await deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, options.workspace);
        const result = await syncWorkspace(ctx, {
          resume: true,
          catalogue: true,
          record: (account) => recordSecurity(ctx, { action: 'accounts.sync', subjectId: account }),
        });
        if (result.business_accounts === 0) {
          throw new Error(
            `Workspace ${options.workspace} has no business account. Connect one with ` +
              `\`workspace update ${options.workspace} --business-account-id … --access-token … --app-secret … ` +
              '--verify-token …`.',
          );
        }
        return { workspace_id: options.workspace, ...result };
      });
    });
}
