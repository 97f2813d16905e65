import type { Command } from 'commander';
import { dropParked, replayParked } from '../api/services/processes/events/parked';
import { ctxOf, group, id, recorded, type Deps, type Result } from './deps';
import { oneOrAll } from './outbox';

/** `events replay` and `events drop`: what the platform sent and could not be processed. */
export function registerEvents(program: Command, deps: Deps): void {
  const events = group(program, 'events', "List, replay and drop the platform's events that were parked.");

  events
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

  events
    .command('drop')
    .description('Remove parked events that are of no use: one, or all of the workspace. This cannot be undone.')
    .argument('[id]', 'as `events list` shows it', id)
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
