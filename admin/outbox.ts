import type { Command } from 'commander';
import { dropSetAside, listUndelivered, retrySetAside } from '../api/core/queue/outboxAside';
import type { Runtime } from '../api/core/runtime';
import { group, id, installationOf, recorded, type Deps, type Result } from './deps';

/** `outbox`: intents that could not be handed over to Temporal. */
export function registerOutbox(program: Command, deps: Deps): void {
  const outbox = group(program, 'outbox', 'List, retry and drop intents that could not be handed over to Temporal.');
  outbox
    .command('list')
    .description(
      'List what was set aside in all workspaces, and what is tried again: the oldest 100, each with its reason.',
    )
    .action(() => deps.run(async (runtime) => ({ ...(await listUndelivered(runtime.db)) })));

  const changes = (name: 'retry' | 'drop', text: string, change: (runtime: Runtime, one?: number) => Promise<number>) =>
    outbox
      .command(name)
      .description(text)
      .argument('[id]', 'as `outbox list` shows it', id)
      .option('--all', 'all that were set aside')
      .action((one: number | undefined, { all = false }: { readonly all?: boolean }) =>
        deps.run(async (runtime) => {
          const chosen = oneOrAll(one, all);
          const work = async (): Promise<Result> => {
            const changed = await change(runtime, chosen);
            if (one !== undefined && changed === 0)
              throw new Error(`No intent ${one} was set aside, or waits after a try in vain.`);
            return { [name === 'retry' ? 'retried' : 'dropped']: changed };
          };
          return recorded(installationOf(runtime), `outbox.${name}`, { all }, work, one);
        }),
      );
  changes('retry', 'Hand them to Temporal again, when the reason is gone.', (runtime, one) =>
    retrySetAside(runtime.db, one),
  );
  changes('drop', 'Remove them. What is due by its row is still done by the sweeps.', (runtime, one) =>
    dropSetAside(runtime.db, one),
  );
}

/** Returns the id that is meant, undefined for all; throws where neither is said, or both are. */
export function oneOrAll(one: number | undefined, all: boolean): number | undefined {
  if ((one === undefined) !== all) throw new Error('Give the id of one, or --all.');
  return one;
}
