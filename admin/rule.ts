import { Option, type Command } from 'commander';
import { readBrake, setBrake } from '../api/services/processes/ruleSettings/brake';
import { listRuleRuns } from '../api/services/processes/ruleSettings/runs';
import { ruleRunStateNames, serializeRule, serializeRuleRun } from '../api/services/processes/ruleSettings/serializer';
import { updateRule } from '../api/services/processes/ruleSettings/service';
import { findRule, listRules } from '../api/services/resources/rules/rows';
import { ctxOf, group, id, recorded, type Deps, type Result } from './deps';

interface RuleOptions {
  readonly workspace: number;
  readonly all?: boolean;
  readonly reason?: string;
  readonly state?: (typeof ruleRunStateNames)[number];
}

/** `rule`: what acts by itself in a workspace, and the brake. */
export function registerRule(program: Command, deps: Deps): void {
  const rule = group(program, 'rule', 'List, pause and resume rules, one or all of a workspace.');
  const ofWorkspace = (command: Command): Command =>
    command.requiredOption('--workspace <id>', 'id of the workspace', id);

  ofWorkspace(
    rule.command('list').description('List the rules of a workspace, and whether they all stand still.'),
  ).action(({ workspace }: RuleOptions) =>
    deps.run(async (runtime) => {
      const ctx = await ctxOf(runtime, workspace);
      return { rules: (await listRules(ctx)).map(serializeRule), brake: await readBrake(ctx) };
    }),
  );
  ofWorkspace(rule.command('show').description('Show one rule.').argument('<id>', 'id of the rule', id)).action(
    (ruleId: number, { workspace }: RuleOptions) =>
      deps.run(async (runtime) => serializeRule(await findRule(await ctxOf(runtime, workspace), ruleId))),
  );
  ofWorkspace(
    rule
      .command('runs')
      .description('List the newest 200 runs of a rule: what started them, how they ended and why.')
      .argument('<id>', 'id of the rule', id),
  )
    .addOption(new Option('--state <state>', 'only those in this state').choices(ruleRunStateNames))
    .action((ruleId: number, { workspace, state }: RuleOptions) =>
      deps.run(async (runtime) => {
        const ctx = await ctxOf(runtime, workspace);
        await findRule(ctx, ruleId);
        const { items } = await listRuleRuns(ctx, ruleId, { state, page_size: 200 });
        return { runs: items.map(serializeRuleRun) };
      }),
    );
  ofWorkspace(
    rule
      .command('pause')
      .description('Pause a rule, or all of them by the brake: waits run on, nothing is applied.')
      .argument('[id]', 'id of the rule', id),
  )
    .option('--all', 'all rules of the workspace')
    .option('--reason <text>', 'shown on every page while all stand still')
    .action((ruleId: number | undefined, options: RuleOptions) => move(deps, 'paused', ruleId, options));
  ofWorkspace(
    rule
      .command('resume')
      .description('Let a paused rule go on, or all of them: what is due meanwhile is judged now.')
      .argument('[id]', 'id of the rule', id),
  )
    .option('--all', 'all rules of the workspace')
    .action((ruleId: number | undefined, options: RuleOptions) => move(deps, 'on', ruleId, options));
}

/** Pauses a rule or lets it go on; without one, all of them by the brake. */
async function move(
  deps: Deps,
  state: 'paused' | 'on',
  ruleId: number | undefined,
  { workspace, all, reason = '' }: RuleOptions,
): Promise<void> {
  if ((ruleId === undefined) === (all !== true)) throw new Error('Give either the id of a rule or --all.');
  await deps.run(async (runtime): Promise<Result> => {
    const ctx = await ctxOf(runtime, workspace);
    if (ruleId === undefined)
      return recorded(ctx, 'rules.brake', { on: state === 'paused', reason }, async () => ({
        brake: await setBrake(ctx, state === 'paused', reason),
      }));
    return recorded(ctx, 'rules.update', { state }, async () => {
      const { rule, waitsEnded } = await updateRule(ctx, ruleId, { state });
      return { ...serializeRule(rule), waits_ended: waitsEnded };
    });
  });
}
