import type { Command } from 'commander';
import { dropParked, replayParked } from '../api/services/processes/events/parked';
import { createInbox } from '../api/services/resources/inboxes/service';
import { ctxOf, group, id, recorded, repeatedIds, type Deps, type Result } from './deps';
import { oneOrAll } from './outbox';

interface InboxOptions {
  readonly workspace: number;
  readonly name: string;
  readonly description?: string;
  readonly member?: number[];
}

/** `inbox create` (a team inbox), `inbox replay` and `inbox drop` (upstream events that could not be processed). */
export function registerInbox(program: Command, deps: Deps): void {
  const inbox = group(
    program,
    'inbox',
    "Create team inboxes; list, replay and drop the platform's events that were parked.",
  );

  inbox
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

  inbox
    .command('replay')
    .description('Process again the events of the platform that were parked because of an error.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .action(async (options: { readonly workspace: number }) => {
      await deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, options.workspace);
        return recorded(ctx, 'inbox.replay', {}, async () => ({
          workspace_id: options.workspace,
          replayed: await replayParked(ctx),
        }));
      });
    });

  inbox
    .command('drop')
    .description('Remove parked events that are of no use: one, or all of the workspace. This cannot be undone.')
    .argument('[id]', 'as `inbox list` shows it', id)
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .option('--all', 'all parked events of the workspace')
    .action((one: number | undefined, options: { readonly workspace: number; readonly all?: boolean }) =>
      deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, options.workspace);
        const { workspace, all = false } = options;
        const chosen = oneOrAll(one, all);
        const work = async (): Promise<Result> => {
          const dropped = await dropParked(ctx, chosen);
          if (one !== undefined && dropped === 0) throw new Error(`No event ${one} is parked in this workspace.`);
          return { workspace_id: workspace, dropped };
        };
        return recorded(ctx, 'inbox.drop', { all }, work, one);
      }),
    );
}
