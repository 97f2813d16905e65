import type { Command } from 'commander';
import { createInbox } from '../api/services/resources/inboxes/service';
import { ctxOf, group, id, recorded, repeatedIds, type Deps } from './deps';

interface InboxOptions {
  readonly workspace: number;
  readonly name: string;
  readonly description?: string;
  readonly member?: number[];
}

/** `inbox create`: a team inbox, the list that a team works from. */
export function registerInbox(program: Command, deps: Deps): void {
  group(program, 'inbox', 'Create and list team inboxes.')
    .command('create')
    .description('Create a team inbox; the first one of a workspace is its default.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .requiredOption('--name <name>', 'unique in the workspace')
    .option('--description <text>', 'what it is for')
    .option('--member <id>', 'repeatable; id of a member who sits in it', repeatedIds)
    .action(async (options: InboxOptions) => {
      await deps.run(async (runtime) => {
        const { name, description, member: memberIds } = options;
        const ctx = await ctxOf(runtime, options.workspace);
        return recorded(ctx, 'teamInboxes.create', options, async () => {
          const row = await createInbox(ctx, { name, description, memberIds });
          return {
            id: row.id,
            workspace_id: row.workspace_id,
            name: row.name,
            description: row.description,
            member_ids: row.member_ids,
            is_default: row.is_default,
          };
        });
      });
    });
}
