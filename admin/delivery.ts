import type { Command } from 'commander';
import type { Runtime } from '../api/core/runtime';
import { resumeSending } from '../api/services/processes/maintenance/resumeSending';
import {
  fenceState,
  holdScopeAnywhere,
  holdSending,
  listHoldsOfAnyWorkspace,
  type HoldScope,
} from '../api/services/resources/accounts/fence';
import { group, id, installationOf, instant, recorded, type Deps } from './deps';

interface ScopeOptions {
  readonly workspace?: number;
  readonly number?: string;
}

interface HoldOptions extends ScopeOptions {
  readonly reason?: string;
}

interface ResumeOptions extends ScopeOptions {
  readonly unknownSince?: Date;
  readonly nothingLost?: boolean;
}

/** `delivery`: the operator's brake on everything that goes out. */
export function registerDelivery(program: Command, deps: Deps): void {
  const delivery = group(program, 'delivery', 'Hold and resume sending: of everybody, one workspace or one number.');

  delivery
    .command('hold')
    .description('Hold all sending at once. Messages are accepted and wait; broadcasts pause.')
    .option('--workspace <id>', 'only this workspace', id)
    .option('--number <platform id>', 'only this phone number')
    .option('--reason <text>', 'shown by `delivery list`')
    .action((options: HoldOptions) =>
      deps.run(async (runtime) => {
        const scope = await holdScopeAnywhere(runtime, {
          workspaceId: options.workspace,
          phoneNumberId: options.number,
        });
        const hold = await recordedFor(runtime, scope, 'delivery.hold', options, () =>
          holdSending(runtime, scope, options.reason ?? ''),
        );
        return { id: hold.id, workspace_id: hold.workspace_id, number: options.number ?? null, since: hold.created_at };
      }),
    );

  delivery
    .command('resume')
    .description('Lift the hold of this scope. What was accepted meanwhile goes out now.')
    .option('--workspace <id>', 'the hold of this workspace', id)
    .option('--number <platform id>', 'the hold of this phone number')
    .option(
      '--unknown-since <time>',
      'after a restore: the last moment that this database knows, for the record; what was accepted before the ' +
        'hold and still waits becomes unknown and is not sent again',
      instant,
    )
    .option('--nothing-lost', 'after a failover to a standby that had everything')
    .action((options: ResumeOptions) =>
      deps.run(async (runtime) => {
        const scope = await holdScopeAnywhere(runtime, {
          workspaceId: options.workspace,
          phoneNumberId: options.number,
        });
        const lost = { unknownSince: options.unknownSince, nothing: options.nothingLost };
        return recordedFor(runtime, scope, 'delivery.resume', options, async () => ({
          ...(await resumeSending(runtime, scope, lost)),
        }));
      }),
    );

  delivery
    .command('list')
    .description('List what is held, and whether the database went back in time.')
    .action(() =>
      deps.run(async (runtime) => ({
        database_went_back: (await fenceState(runtime)).wentBack,
        holds: await listHoldsOfAnyWorkspace(runtime),
      })),
    );
}

/** Records what a command does to the sending of a scope. */
function recordedFor<T extends object>(
  runtime: Runtime,
  { workspaceId, phoneNumberPk }: HoldScope,
  action: string,
  { workspace: _workspace, ...options }: ScopeOptions,
  work: () => Promise<T>,
): Promise<T> {
  return recorded({ ...installationOf(runtime), workspaceId }, action, options, work, phoneNumberPk ?? undefined);
}
