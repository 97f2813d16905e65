import type { Client, ScheduleDescription, ScheduleOptions, ScheduleUpdateOptions } from '@temporalio/client';
import type { Runtime } from '../api/core/runtime';
import { queueNames, reconcileId } from '../workflows/contract';

const everyMs = 60_000;
/** After an outage one late run is enough: the sweeps are set-based and look at everything. */
const catchupWindowMs = 60_000;
const callDeadlineMs = 10_000;
/** A run that hangs must not keep all later ones from starting. */
const executionTimeoutMs = 15 * 60_000;

/** The schedule of the backstop as it should be. */
function desired(runtime: Runtime): ScheduleOptions & { action: { type: 'startWorkflow' } } {
  const prefix = runtime.config.temporal.taskQueuePrefix;
  return {
    scheduleId: reconcileId(prefix),
    spec: { intervals: [{ every: everyMs }] },
    policies: { overlap: 'SKIP', catchupWindow: catchupWindowMs },
    action: {
      type: 'startWorkflow',
      workflowType: 'reconcile',
      workflowId: reconcileId(prefix),
      taskQueue: queueNames(prefix).timers,
      args: [],
      workflowExecutionTimeout: executionTimeoutMs,
      staticSummary: 'Backstop sweeps over overdue rows',
    },
  };
}

/** What of a schedule counts when it is compared. */
function essence(options: Pick<ScheduleOptions | ScheduleDescription, 'spec' | 'policies' | 'action'>): string {
  const { spec, policies, action } = options;
  return JSON.stringify([
    (spec.intervals ?? []).map(({ every, offset }) => [Number(every), Number(offset ?? 0)]),
    policies?.overlap,
    Number(policies?.catchupWindow),
    action.workflowType,
    action.workflowId,
    action.taskQueue,
    Number(action.workflowExecutionTimeout),
  ]);
}

/** Creates the schedule when it is missing and corrects one that differs; leaves its paused state alone. */
export async function ensureSchedule(runtime: Runtime): Promise<'created' | 'updated' | 'unchanged'> {
  if ((await runtime.engine.probe()) === 'down') throw new Error('the workflow engine is not reachable');
  const client = runtime.engine.client();
  return client.withDeadline(Date.now() + callDeadlineMs, () => ensure(client, desired(runtime)));
}

async function ensure(
  client: Client,
  options: ReturnType<typeof desired>,
): Promise<'created' | 'updated' | 'unchanged'> {
  const handle = client.schedule.getHandle(options.scheduleId);
  let found: ScheduleDescription;
  try {
    found = await handle.describe();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ScheduleNotFoundError') throw error;
    try {
      await client.schedule.create(options);
      return 'created';
    } catch (fault) {
      // Another worker was quicker, with the same one.
      if (fault instanceof Error && fault.name === 'ScheduleAlreadyRunning') return 'unchanged';
      throw fault;
    }
  }
  if (essence(found) === essence(options)) return 'unchanged';
  await handle.update((previous) => {
    const update: ScheduleUpdateOptions = {
      spec: options.spec,
      policies: options.policies,
      action: options.action,
      state: previous.state,
    };
    return update;
  });
  return 'updated';
}
