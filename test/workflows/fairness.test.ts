import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { safeLoad } from 'js-yaml';
import { loadConfig } from '../../api/core/config';
import { createLogger } from '../../api/core/logger';
import { createRuntime, type Runtime } from '../../api/core/runtime';
import { dynamicConfig } from '../../dev/temporal/start';
import type { WorkflowInputs } from '../../workflows/contract';
import { queueNames } from '../../workflows/queues';
import { macroRunStart, messageDeliveryStart, stageNotifyStart, type WorkflowStart } from '../../workflows/starts';
import { eventually } from '../support/eventually';
import type { TestRuntime } from '../support/runtime';
import { sharedDesk } from '../support/sharedDesk';
import { root } from '../support/settings';
import { privateTemporal, type PrivateTemporal } from '../support/temporal';
import { workflowIdOf } from '../support/workflows';

/** The server keeps its counts of what waits a while. */
const freshCounts = { 'matching.TaskQueueInfoByBuildIdTTL': '0s' };

/** docs/operate.md, "Operate it": a Temporal that is told to goes by priorities, and by workspaces in their turn. */
describe('tasks that wait on one queue', () => {
  let temporal: PrivateTemporal;
  let test: TestRuntime;
  let runtime: Runtime;
  let queue: string;
  beforeAll(async () => {
    temporal = await privateTemporal({ dynamicConfig: freshCounts });
    ({ test } = await sharedDesk('no sandbox', { env: { TEMPORAL_ADDRESS: temporal.address } }));
  });
  afterAll(async () => {
    await test.close();
    await temporal.close();
  });
  beforeEach(() => {
    // Queues of its own: what an earlier test left on its queues comes again.
    const env = { ...test.env, TEMPORAL_PREFIX: `test-${randomBytes(6).toString('hex')}` };
    runtime = createRuntime(loadConfig(env), 'test', { logger: createLogger('silent', 'test') });
    queue = queueNames(runtime.config.temporal.prefix).interactive;
  });
  afterEach(() => runtime.close());

  const start = <W extends keyof WorkflowInputs>(begun: WorkflowStart<W>, input: WorkflowInputs[W]): Promise<void> =>
    eventually(() => runtime.temporal.start(begun, input));
  /** Nobody works here: what was started waits. */
  const waiting = async (count: number): Promise<void> => {
    const { workflowService } = runtime.temporal.client();
    await eventually(async () => {
      const { stats } = await workflowService.describeTaskQueue({
        namespace: 'default',
        taskQueue: { name: queue },
        taskQueueType: 1,
        reportStats: true,
      });
      expect(Number(stats?.approximateBacklogCount)).toBe(count);
    });
  };
  /** Takes tasks as a worker with a single place does; gives the ids of their workflows, in order. */
  const take = async (count: number): Promise<string[]> => {
    const { connection, workflowService } = runtime.temporal.client();
    const ids: string[] = [];
    while (ids.length < count) {
      const { workflowExecution } = await connection.withDeadline(Date.now() + 20_000, () =>
        workflowService.pollWorkflowTaskQueue({
          namespace: 'default',
          taskQueue: { name: queue },
          identity: 'test',
        }),
      );
      if (workflowExecution?.workflowId) ids.push(workflowExecution.workflowId.slice(workflowIdOf(runtime, '').length));
    }
    return ids;
  };

  it('a macro that somebody waits for goes before replies and notifications, which take turns', async () => {
    for (let id = 1; id <= 10; id += 1)
      await start(messageDeliveryStart(1, id), { workspaceId: 1, conversationId: id });
    for (let id = 1; id <= 10; id += 1)
      await start(stageNotifyStart(1, id, id), { workspaceId: 1, ticketId: id, moveId: id });
    await start(macroRunStart(1, 1, { macroId: 1, conversationId: 1, ticketId: null }), { workspaceId: 1, runId: 1 });
    await waiting(21);
    const kinds = (await take(21)).map((id) => id.split('/')[0]);
    expect(kinds[0]).toBe('macro-run');
    for (let turn = 1; turn < 21; turn += 2)
      expect(kinds.slice(turn, turn + 2).sort()).toEqual(['message-delivery', 'stage-notify']);
  });

  it("another workspace's many replies hold up no notification", async () => {
    for (let id = 1; id <= 30; id += 1)
      await start(messageDeliveryStart(4, id), { workspaceId: 4, conversationId: id });
    for (let id = 1; id <= 3; id += 1)
      await start(stageNotifyStart(5, id, id), { workspaceId: 5, ticketId: id, moveId: id });
    await waiting(33);
    const kinds = (await take(33)).map((id) => id.split('/')[0]);
    expect(kinds.slice(0, 6).filter((kind) => kind === 'stage-notify')).toHaveLength(3);
  });

  it('a workspace that comes last with little does not wait behind the many of another one', async () => {
    for (let id = 1; id <= 30; id += 1)
      await start(messageDeliveryStart(2, id), { workspaceId: 2, conversationId: id });
    for (let id = 1; id <= 3; id += 1) await start(messageDeliveryStart(3, id), { workspaceId: 3, conversationId: id });
    await waiting(33);
    const spaces = (await take(33)).map((id) => Number(id.split('/')[1]));
    expect(spaces.slice(0, 6)).toEqual([2, 3, 2, 3, 2, 3]);
  });

  it('the topology tells its Temporal so, too', () => {
    const shipped = safeLoad(readFileSync(path.join(root, 'ops', 'temporal', 'dynamic.yaml'), 'utf8'));
    const told = Object.fromEntries(Object.entries(dynamicConfig).map(([name, value]) => [name, [{ value }]]));
    expect(shipped).toEqual(told);
  });
});
