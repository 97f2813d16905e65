import type { RuleRow, RuleRunRow } from '../../models';
import { unique } from './unique';
import type { TestWorkspace } from './workspaces';

/** What a rule is made of here; all else is as it is left out. */
export type RuleParts = Partial<
  Pick<
    RuleRow,
    | 'name'
    | 'state'
    | 'starts'
    | 'conditions'
    | 'wait'
    | 'unless'
    | 'repeat'
    | 'after_rules'
    | 'autonomy'
    | 'runs_as_id'
  >
>;

/** Stores a rule that is on, in the owner's name; gives its id. Rows alone: what may be saved is the business of REST. */
export async function createRule(workspace: TestWorkspace, macroId: number, parts: RuleParts = {}): Promise<number> {
  const { Rule } = workspace.ctx.runtime.db.models;
  const { state = 'on' } = parts;
  const row = await Rule.create({
    workspace_id: workspace.ctx.workspaceId,
    name: `Rule ${unique()}`,
    starts: [{ event: 'message.received' }],
    conditions: { all: [], any: [] },
    wait: null,
    macro_id: macroId,
    runs_as_id: workspace.owner.id,
    created_by_id: workspace.owner.id,
    attention: null,
    ...parts,
    state,
    active_since: state === 'off' ? null : new Date(),
  });
  return row.id;
}

/** Returns the runs of a rule, the oldest first. */
export function runsOf(workspace: TestWorkspace, ruleId: number): Promise<RuleRunRow[]> {
  const { RuleRun } = workspace.ctx.runtime.db.models;
  return RuleRun.findAll({ where: { rule_id: ruleId }, order: ['id'], raw: true });
}

/** Returns where the runs of a rule are, each with its reason: `applied`, `skipped late`. */
export async function endsOf(workspace: TestWorkspace, ruleId: number): Promise<string[]> {
  const runs = await runsOf(workspace, ruleId);
  return runs.map(({ state, reason }) => [state, ...(reason === null ? [] : [reason])].join(' '));
}
