import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { ceilingConflict } from '../../identity/workspaces/objectLimits';
import { findRule, listRules, requireRule } from '../../resources/rules/rows';
import { decideWait, listRuleRuns, notWaiting, readRuleRun, requireRun } from './runs';
import { setBrake } from './brake';
import { brakeInput, createRuleInput, listRuleRunsQuery, moveRunInput, updateRuleInput } from './schema';
import { changedRuleShape, ruleRunShape, ruleShape, serializeRule, serializeRuleRun } from './serializer';
import { createRule, deleteRule, updateRule } from './service';

const path = '/api/v1/rules/';
const common = { tag: 'Rules', scope: 'macro.manage', audience: 'session' } as const;
const one = { path: `${path}{id}/`, intParams: ['id'] } as const;

const oneRun = { path: `${path}{id}/runs/{run_id}/`, intParams: ['id', 'run_id'] } as const;
const waitOver = { when: 'It does not wait any more.', example: String(notWaiting) };

const crowd = 'One event starts 20 rules at most.';

/** Rules (contract 21): when this happens, if that holds, after so long, unless something comes, run this macro. */
export const ruleOperations = [
  operation({
    ...common,
    id: 'rules.list',
    method: 'GET',
    path,
    scope: 'macro.view',
    summary: 'List rules',
    description: 'All rules of the workspace by name, as a plain array; each with what became of its runs in 90 days.',
    status: 200,
    output: wire.list(ruleShape),
    run: async (ctx) => (await listRules(ctx)).map(serializeRule),
  }),
  operation({
    ...common,
    id: 'rules.create',
    asksAgain: ['state'],
    method: 'POST',
    path,
    summary: 'Save a rule',
    description:
      'It acts in your name, with what you may do at the moment when it acts, and looks at what happens from when it ' +
      'is switched on. Switching on one that reaches customers by itself asks you again who you are.',
    body: createRuleInput,
    status: 201,
    output: ruleShape,
    conflicts: ceilingConflict('rules', crowd),
    examples: {
      request: {
        name: 'Nobody answered in ten minutes',
        on: [{ event: 'message.received' }],
        conditions: { all: [{ field: 'waiting', op: 'is', value: true }] },
        wait: { minutes: 10, by: 'clock' },
        unless: [{ event: 'conversation.answered' }],
        macro_id: 2,
      },
    },
    run: async (ctx, input) => serializeRule(await createRule(ctx, input)),
  }),
  operation({
    ...common,
    id: 'rules.brake',
    method: 'POST',
    path: `${path}brake/`,
    scope: 'workspace.manage',
    summary: 'Stop all rules, or let them go on',
    description:
      'Within a second nothing starts and nothing is applied; waits run on, and what is due meanwhile is judged when ' +
      'they go on. Every page says so.',
    body: brakeInput,
    status: 200,
    output: wire.named('RuleBrake', {
      on: wire.boolean(),
      reason: wire.text(),
      since: wire.nullable({ type: 'string', format: 'date-time' }),
      member_id: wire.nullable(wire.integer('Who stopped them; null for the operator.')),
    }),
    examples: { request: { on: false, reason: '' } },
    run: async (ctx, { on, reason }) => setBrake(ctx, on, reason ?? ''),
  }),
  operation({
    ...common,
    ...one,
    id: 'rules.get',
    method: 'GET',
    scope: 'macro.view',
    summary: 'Read a rule',
    description: 'One rule with what became of its runs in 90 days.',
    status: 200,
    tagged: true,
    output: ruleShape,
    run: async (ctx, { id }) => serializeRule(await findRule(ctx, id)),
  }),
  operation({
    ...common,
    ...one,
    id: 'rules.update',
    asksAgain: ['state'],
    method: 'PATCH',
    summary: 'Change a rule',
    description:
      'Fields that are left out stay as they are, lists are replaced. Another start, condition, wait, `unless` or ' +
      'macro ends what waits, as switching it off does: `counts.waiting` says before how many that are, and ' +
      '`waits_ended` after. Whoever changes more than name, description or a pause lends it their rights.',
    body: updateRuleInput,
    status: 200,
    output: changedRuleShape,
    conflicts: { when: crowd, example: 'message.received starts 20 rules already.' },
    examples: { request: { wait: { minutes: 15, by: 'hours' } } },
    locate: (ctx, { id }) => requireRule(ctx, id),
    run: async (ctx, { id, ...values }) => {
      const { rule, waitsEnded } = await updateRule(ctx, id, values);
      return { ...serializeRule(rule), waits_ended: waitsEnded };
    },
  }),
  operation({
    ...common,
    ...one,
    id: 'rules.delete',
    method: 'DELETE',
    summary: 'Delete a rule',
    description: 'What waits of it ends. What it did stays done.',
    status: 204,
    output: null,
    run: (ctx, { id }) => deleteRule(ctx, id),
  }),
  operation({
    ...common,
    path: `${path}{id}/runs/`,
    intParams: ['id'],
    id: 'rules.runs',
    method: 'GET',
    scope: 'macro.view',
    summary: 'List the runs of a rule, newest first',
    description: 'Every start with its end and why. They are kept for 90 days.',
    query: listRuleRunsQuery,
    status: 200,
    output: wire.page(ruleRunShape),
    locate: (ctx, { id }) => requireRule(ctx, id),
    run: async (ctx, { id, ...filters }) => {
      await requireRule(ctx, id);
      const page = await listRuleRuns(ctx, id, filters);
      return { ...page, items: page.items.map(serializeRuleRun) };
    },
  }),
  operation({
    ...common,
    ...oneRun,
    id: 'rules.moveRun',
    method: 'PATCH',
    summary: 'Give a wait another moment',
    description: 'It is judged then, on what is true then; calendars and windows move it no more.',
    body: moveRunInput,
    status: 200,
    output: ruleRunShape,
    conflicts: waitOver,
    examples: { request: { moment: '2035-01-04T09:00:00Z' } },
    locate: requireRun,
    run: async (ctx, { moment, ...ids }) => {
      await decideWait(ctx, ids, moment);
      return serializeRuleRun(await readRuleRun(ctx, ids));
    },
  }),
  operation({
    ...common,
    ...oneRun,
    id: 'rules.endRun',
    method: 'DELETE',
    summary: 'End a wait',
    description: 'Nothing of it is applied: it is `ended` as `by_member`.',
    status: 204,
    output: null,
    conflicts: waitOver,
    locate: requireRun,
    run: (ctx, ids) => decideWait(ctx, ids, null),
  }),
];
