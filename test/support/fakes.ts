import { randomBytes } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../../activities';
import type { Runtime } from '../../api/core/runtime';
import type { Activities } from '../../workflows/activityTypes';
import { bundlePath } from './settings';
import { inThisThread } from './worker';

/** Returns what a fake stands in for; anything that the test did not expect to be called fails loudly. */
function fakeActivities(fakes: Partial<Activities>): Activities {
  const unexpected = (name: string) => (): Promise<never> => Promise.reject(new Error(`${name} was not expected here`));
  // The names come from the real table, so that a new activity needs no edit here; building it touches no runtime.
  const names = Object.keys(createActivities({} as Runtime));
  return { ...(Object.fromEntries(names.map((name) => [name, unexpected(name)])) as unknown as Activities), ...fakes };
}

/** Returns a worker over fake activities on any test environment, for the time of `work`. */
export async function withFakes<T>(
  env: TestWorkflowEnvironment,
  fakes: Partial<Activities>,
  work: (taskQueue: string) => Promise<T>,
): Promise<T> {
  const taskQueue = `fakes-${randomBytes(6).toString('hex')}`;
  const worker = await inThisThread(() =>
    Worker.create({
      connection: env.nativeConnection,
      taskQueue,
      workflowBundle: { codePath: bundlePath },
      activities: fakeActivities(fakes),
      identity: 'fakes',
      // In this thread: three threads of its own cost a second of processor time to start.
      debugMode: true,
    }),
  );
  return worker.runUntil(() => work(taskQueue));
}
