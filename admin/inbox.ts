import type { Command } from 'commander';
import { systemCtx } from '../api/core/context';
import { replayParked } from '../api/services/processes/inbound/service';
import { createInbox } from '../api/services/resources/inboxes/service';
import { cliRequestId, group, id, repeatedIds, type Deps } from './deps';
import { getWorkspace } from '../api/services/identity/workspaces/service';

interface InboxOptions {
  readonly workspace: number;
  readonly name: string;
  readonly description?: string;
  readonly member?: number[];
}

/** `inbox create` (a team inbox) and `inbox replay` (upstream events that could not be processed). */
export function registerInbox(program: Command, deps: Deps): void {
  const inbox = group(program, 'inbox', 'Create team inboxes; replay upstream events.');

  inbox
    .command('create')
    .description('Create a team inbox; the first one of a workspace is its default.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .requiredOption('--name <name>', 'unique in the workspace')
    .option('--description <text>', 'what it is for')
    .option('--member <id>', 'repeatable; id of a member who sits in it', repeatedIds)
    .action(async (options: InboxOptions) => {
      await deps.run((runtime) =>
        runtime.db.transaction(async () => {
          await getWorkspace(runtime, options.workspace);
          const row = await createInbox(systemCtx(runtime, options.workspace, cliRequestId), {
            name: options.name,
            ...(options.description === undefined ? {} : { description: options.description }),
            ...(options.member === undefined ? {} : { memberIds: options.member }),
          });
          return {
            id: row.id,
            workspace_id: row.workspace_id,
            name: row.name,
            description: row.description,
            member_ids: row.member_ids,
            is_default: row.is_default,
          };
        }),
      );
    });

  inbox
    .command('replay')
    .description('Process the upstream events again that were parked because they could not be processed.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .action(async (options: { readonly workspace: number }) => {
      await deps.run(async (runtime) => {
        await getWorkspace(runtime, options.workspace);
        return { workspace_id: options.workspace, replayed: await replayParked(runtime, options.workspace) };
      });
    });
}
