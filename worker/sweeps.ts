import type { Client } from '@temporalio/client';
import type { Runtime } from '../api/core/runtime';
import { signals } from '../workflows/contract';
import { reconcileStart } from '../workflows/starts';

const callDeadlineMs = 10_000;

/**
 * Makes sure that the deployment's sweeps run: starts `reconcile` unless it does. One that was terminated, or lost with
 * Temporal's state, begins again with the next look.
 */
export async function ensureSweeps(runtime: Runtime): Promise<void> {
  const start = reconcileStart(runtime.config.temporal.taskQueuePrefix);
  await runtime.engine.start(start, { last: null });
}

/** Asks the deployment's sweeps to begin a round now, and starts them where they do not run. */
export async function sweepNow(runtime: Runtime): Promise<void> {
  const start = reconcileStart(runtime.config.temporal.taskQueuePrefix);
  await runtime.engine.signalWithStart(start, { last: null }, signals.sweep, undefined);
}

/** Removes the schedule that started the sweeps in builds before they were one long workflow. */
export async function removeOldSchedule(runtime: Runtime): Promise<void> {
  if ((await runtime.engine.probe()) === 'down') throw new Error('the workflow engine is not reachable');
  const client: Client = runtime.engine.client();
  const { id } = reconcileStart(runtime.config.temporal.taskQueuePrefix);
  await client.withDeadline(Date.now() + callDeadlineMs, async () => {
    try {
      await client.schedule.getHandle(id).delete();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ScheduleNotFoundError') throw error;
    }
  });
}
