import type { Command } from 'commander';
import { resumeSending } from '../api/services/processes/maintenance/resume';
import {
  fenceState,
  holdScopeAnywhere,
  holdSending,
  listHoldsOfAnyWorkspace,
} from '../api/services/resources/accounts/fence';
import { group, id, instant, type Deps } from './deps';

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
        const hold = await holdSending(runtime, scope, options.reason ?? '');
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
      'after a restore: the last moment that this database knows; what still waits since then becomes unknown ' +
        'and is not sent again',
      instant,
    )
    .option('--nothing-lost', 'after a failover to a standby that had everything')
    .action((options: ResumeOptions) =>
      deps.run(async (runtime) => {
        const scope = await holdScopeAnywhere(runtime, {
          workspaceId: options.workspace,
          phoneNumberId: options.number,
        });
        return {
          ...(await resumeSending(runtime, scope, {
            unknownSince: options.unknownSince,
            nothing: options.nothingLost,
          })),
        };
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
