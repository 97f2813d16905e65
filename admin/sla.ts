import { InvalidArgumentError, Option, type Command } from 'commander';
import { systemCtx } from '../api/core/context';
import { serializePolicy } from '../api/services/resources/sla/serializer';
import type { PolicyPatch } from '../api/services/resources/sla/schema';
import { createPolicy, deletePolicy, listPolicies, updatePolicy } from '../api/services/resources/sla/service';
import { cliRequestId, ctxOf, group, id, recorded, requireSome, yesOrNo, type Deps } from './deps';

interface SlaOptions {
  readonly workspace: number;
  readonly name?: string;
  readonly firstResponse?: number | 'none';
  readonly resolution?: number | 'none';
  readonly appliesTo?: 'tickets' | 'conversations' | 'both';
  readonly default?: boolean;
}

/** `sla`: the service level policies of a workspace, which no API key can see (contract 12.1). */
export function registerSla(program: Command, deps: Deps): void {
  const sla = group(
    program,
    'sla',
    'Create, change and list service level policies: targets for the first response and the resolution.',
  );

  withTargets(
    sla
      .command('create')
      .description('Create a policy; the first one of a workspace is its default.')
      .requiredOption('--workspace <id>', 'id of the workspace', id)
      .requiredOption('--name <name>', 'what the policy is called'),
  ).action(async (options: SlaOptions & { readonly name: string }) => {
    await deps.run(async (runtime) => {
      const ctx = await ctxOf(runtime, options.workspace);
      return recorded(ctx, 'slaPolicies.create', options, async () =>
        serializePolicy(await createPolicy(ctx, { ...inputOf(options), name: options.name })),
      );
    });
  });

  withTargets(
    sla
      .command('update')
      .description('Change a policy. Running deadlines are not changed.')
      .argument('<id>', 'id of the policy', id)
      .requiredOption('--workspace <id>', 'id of the workspace', id)
      .option('--name <name>', 'new name'),
  ).action(async (policyId: number, options: SlaOptions) => {
    const changes = inputOf(options);
    requireSome(changes as Record<string, unknown>);
    await deps.run((runtime) => {
      const ctx = systemCtx(runtime, options.workspace, cliRequestId);
      return recorded(ctx, 'slaPolicies.update', options, async () =>
        serializePolicy(await updatePolicy(ctx, policyId, changes)),
      );
    });
  });

  sla
    .command('list')
    .description('List the policies of a workspace.')
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .action(async (options: SlaOptions) => {
      await deps.run(async (runtime) => ({
        policies: (await listPolicies(systemCtx(runtime, options.workspace, cliRequestId))).map(serializePolicy),
      }));
    });

  sla
    .command('delete')
    .description('Delete a policy. Running deadlines are not changed.')
    .argument('<id>', 'id of the policy', id)
    .requiredOption('--workspace <id>', 'id of the workspace', id)
    .action(async (policyId: number, options: SlaOptions) => {
      await deps.run((runtime) => {
        const ctx = systemCtx(runtime, options.workspace, cliRequestId);
        return recorded(ctx, 'slaPolicies.delete', {}, async () => {
          await deletePolicy(ctx, policyId);
          return { id: policyId, deleted: true };
        });
      });
    });
}

function withTargets(command: Command): Command {
  return command
    .option('--first-response <minutes>', 'minutes until the first answer; "none" for no such target', minutes)
    .option('--resolution <minutes>', 'minutes until it is resolved; "none" for no such target', minutes)
    .addOption(
      new Option('--applies-to <what>', 'what the policy is for').choices(['tickets', 'conversations', 'both']),
    )
    .option('--default [true|false]', 'whether new tickets and conversations get it', yesOrNo);
}

/** commander takes a null for a failed parse: "none" stays a word until the end. */
function minutes(value: string): number | 'none' {
  if (value === 'none') return value;
  const number = Number(value);
  if (!/^\d{1,7}$/.test(value) || number < 1) throw new InvalidArgumentError('Give whole minutes from 1, or "none".');
  return number;
}

function target(value: number | 'none'): number | null {
  return value === 'none' ? null : value;
}

function inputOf(options: SlaOptions): PolicyPatch {
  return {
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.firstResponse === undefined ? {} : { first_response_minutes: target(options.firstResponse) }),
    ...(options.resolution === undefined ? {} : { resolution_minutes: target(options.resolution) }),
    ...(options.appliesTo === undefined
      ? {}
      : { applies_to: options.appliesTo === 'both' ? (['tickets', 'conversations'] as const) : [options.appliesTo] }),
    ...(options.default === undefined ? {} : { is_default: options.default }),
  };
}
