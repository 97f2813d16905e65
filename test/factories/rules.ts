import type { RuleRow, RuleRunRow } from '../../models';
import type { AnswerAt } from '../support/typedAnswers';
import { createMacro, ownerSession, step } from './macros';
import { unique } from './unique';
import type { TestWorkspace } from './workspaces';

type Json = Record<string, unknown>;

export const rulesPath = '/api/v1/rules/';

/** A macro that writes to the customer. */
export const sendingMacro = (workspace: TestWorkspace): Promise<number> =>
  createMacro(workspace, [step('send_message', { body: 'Are you still there?' })]);
/** A macro that stays within the house. */
export const quietMacro = (workspace: TestWorkspace): Promise<number> =>
  createMacro(workspace, [step('set_priority', { priority: 'high' })]);

/** Returns what a rule is made of: when a customer writes, after ten minutes, unless somebody answers. */
export function ruleBody(macroId: number, fields: Json = {}): Json {
  return {
    name: `Rule ${unique()}`,
    on: [{ event: 'message.received' }],
    wait: { minutes: 10, by: 'clock' },
    unless: [{ event: 'conversation.answered' }],
    macro_id: macroId,
    ...fields,
  };
}

/** Saves a rule over REST in the owner's name; gives its record. */
export async function saveRule(
  workspace: TestWorkspace,
  fields: Json = {},
): Promise<AnswerAt<'POST', typeof rulesPath>> {
  const macro = fields['macro_id'] === undefined ? await quietMacro(workspace) : Number(fields['macro_id']);
  const { status, body } = await (await ownerSession(workspace)).api.post(rulesPath, ruleBody(macro, fields));
  if (status !== 201) throw new Error(`the rule was refused: ${JSON.stringify(body)}`);
  return body;
}

/** Writes a run of a rule as it waits, or as it ended; gives its id. */
export async function storeRun(
  workspace: TestWorkspace,
  ruleId: number,
  conversationId: number,
  fields: Json = {},
): Promise<number> {
  const { state = 'waiting', reason = null, event_id = unique() } = fields;
  const row = await workspace.server.runtime.db.row<{ id: number }>(
    `INSERT INTO rule_runs (workspace_id, rule_id, rule_version, conversation_id, event, event_id, state, reason,
       moment, ended_at)
     VALUES ($workspaceId, $ruleId, 1, $conversationId, 'message.received', $event_id, $state::varchar, $reason,
       now() + interval '1 hour', CASE WHEN $state::varchar IN ('waiting', 'parked') THEN NULL ELSE now() END)
     RETURNING id`,
    { workspaceId: workspace.id, ruleId, conversationId, state, reason, event_id: Number(event_id) },
  );
  if (!row) throw new Error('the run was not stored');
  return row.id;
}

/** What a rule is made of here; all else is as it is left out. */
type RuleParts = Partial<
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
    | 'active_since'
  >
>;

/** Stores a rule that is on, in the owner's name; gives its id. Rows alone: what may be saved is what REST decides. */
export async function storeRule(workspace: TestWorkspace, macroId: number, parts: RuleParts = {}): Promise<number> {
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
