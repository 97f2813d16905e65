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
export async function saveRule(workspace: TestWorkspace, fields: Json = {}): Promise<Json & { id: number }> {
  const macro = fields['macro_id'] === undefined ? await quietMacro(workspace) : Number(fields['macro_id']);
  const { status, body } = await (await ownerSession(workspace)).api.post(rulesPath, ruleBody(macro, fields));
  if (status !== 201) throw new Error(`the rule was refused: ${JSON.stringify(body)}`);
  return body as Json & { id: number };
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
    `INSERT INTO rule_runs (workspace_id, rule_id, rule_version, conversation_id, event, event_id, state, reason, moment,
       ended_at)
     VALUES ($workspaceId, $ruleId, 1, $conversationId, 'message.received', $event_id, $state::varchar, $reason,
       now() + interval '1 hour', CASE WHEN $state::varchar IN ('waiting', 'parked') THEN NULL ELSE now() END)
     RETURNING id`,
    { workspaceId: workspace.id, ruleId, conversationId, state, reason, event_id: Number(event_id) },
  );
  if (!row) throw new Error('the run was not stored');
  return row.id;
}
