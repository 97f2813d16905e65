import type { RuleTimerState } from '../../workflows/contract';
import { createCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { endsOf, runsOf, storeRule } from '../factories/rules';
import type { TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { withFakes } from '../support/fakes';
import { sharedDesk } from '../support/sharedDesk';
import { describeSkipping } from '../support/skipping';
import { workflowOf } from '../support/workflows';

const hour = 3_600_000;

describeSkipping('ruleTimer, time skipped', (env) => {
  it('asks the rows at the earliest wait, and goes on with what they name next', async () => {
    const begin = await env().currentTimeMs();
    const asked: number[] = [];
    const fakes = {
      judgeRules: async () => {
        asked.push((await env().currentTimeMs()) - begin);
        return asked.length === 1 ? ({ kind: 'not_due', waitMs: 2 * hour } as const) : ({ kind: 'done' } as const);
      },
    };
    await withFakes(env(), fakes, async (taskQueue) => {
      const dueAt = new Date(begin + hour).toISOString();
      const state: RuleTimerState = {
        workspaceId: 7,
        conversationId: 12,
        dueAt,
        version: 1,
        waits: [{ ruleId: 3, version: 1, at: dueAt }],
      };
      const handle = await env().client.workflow.start('ruleTimer', {
        taskQueue,
        workflowId: 'rule-timer/7/12',
        args: [state],
      });
      expect(await handle.query('state')).toEqual(state);
      expect(await handle.result()).toBe('judged');
    });
    expect(asked.map((ms) => Math.floor(ms / hour))).toEqual([1, 3]);
  });
});

describe('rules on a real server', () => {
  let desk: TestApi;
  beforeAll(async () => {
    desk = await sharedDesk('worker');
  });
  afterEach(() => desk.runtime.db.models.Rule.destroy({ where: { workspace_id: desk.workspace.id } }));
  afterAll(() => desk.close());

  it('judges and applies by workflows that name the rule', async () => {
    const macro = await createMacro(desk.workspace, [step('add_tags', { tags: ['by a rule'] })]);
    const rule = await storeRule(desk.workspace, macro);
    const customer = createCustomer(desk.workspace);
    await customer.writes('Hello');
    const shown = async (): Promise<ReturnType<typeof workflowOf>> => {
      const [run] = await runsOf(desk.workspace, rule);
      return workflowOf(desk.runtime, `macro-run/${desk.workspace.id}/${run?.macro_run_id}`);
    };
    // A minute later, where the look of the workers was faster than the timer.
    await eventually(
      async () => {
        expect(await endsOf(desk.workspace, rule)).toEqual(['applied']);
        expect((await (await shown()).describe()).searchAttributes).toMatchObject({ RuleId: [String(rule)] });
      },
      { timeoutMs: 120_000 },
    );
    const [run] = await runsOf(desk.workspace, rule);
    const timer = workflowOf(desk.runtime, `rule-timer/${desk.workspace.id}/${run?.conversation_id}`);
    // Nothing waits any more once the macro was applied: by this timer, or by the look of the workers before it.
    expect(['judged', 'superseded']).toContain(await timer.result());
    expect(await (await shown()).result()).toEqual({ kind: 'applied', steps: 1 });
  });

  it('ends its timer when what it waits for has come', async () => {
    const macro = await createMacro(desk.workspace, [step('add_tags', { tags: ['never'] })]);
    const rule = await storeRule(desk.workspace, macro, {
      wait: { minutes: 60, by: 'clock' },
      unless: [{ event: 'conversation.answered' }],
    });
    const customer = createCustomer(desk.workspace);
    await customer.writes('Hello');
    const [run] = await runsOf(desk.workspace, rule);
    const timer = workflowOf(desk.runtime, `rule-timer/${desk.workspace.id}/${run?.conversation_id}`);
    await eventually(async () => {
      const state = (await timer.query('state')) as RuleTimerState;
      expect(state.waits.map(({ ruleId }) => ruleId)).toEqual([rule]);
    });
    expect((await desk.api.post('/api/v1/messages/', { to: customer.handle, body: 'Here we are' })).status).toBe(201);
    expect(await timer.result()).toBe('cancelled');
    expect(await endsOf(desk.workspace, rule)).toEqual(['ended conversation.answered']);
  });
});
