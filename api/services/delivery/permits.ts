import { Permits, type Rank } from '../../core/platform/permits';
import { kept, type Runtime } from '../../core/runtime';
import { reserveSlots } from './slots';

/**
 * How long a send waits in its process, for a permit or for a slot of the number's throughput. A longer wait is written
 * to the row or left to a workflow, so that it survives the process and occupies no worker.
 */
export const shortWaitMs = 1_000;

/** Limits the sending calls that a process makes at the same time. */
export const permitsOf = kept(({ config }) => new Permits(config.platformCalls));

/** Makes a single send under a permit, which stands for a free connection. Returns null when none came free in time. */
export async function underPermit<T>(
  runtime: Runtime,
  { rank, workspaceId }: { readonly rank: Rank; readonly workspaceId: number },
  send: () => Promise<T>,
): Promise<T | null> {
  const permits = permitsOf(runtime);
  const isGiven =
    rank === 'people'
      ? await permits.takeOne(workspaceId, shortWaitMs)
      : (await permits.takeMany(workspaceId, 1, shortWaitMs)) === 1;
  if (!isGiven) return null;
  try {
    return await send();
  } finally {
    permits.giveBack(rank, workspaceId);
  }
}

/**
 * Takes permits for up to `wanted` calls of a mass send, and slots of the number's throughput for them. The caller
 * gives each back with the rank `mass` when its call has ended. Returns how many it took; 0 when none came in time.
 */
export async function takeForMass(
  runtime: Runtime,
  { workspaceId, numberPk }: { readonly workspaceId: number; readonly numberPk: number },
  wanted: number,
  waitMs = shortWaitMs,
): Promise<number> {
  const permits = permitsOf(runtime);
  const until = performance.now() + waitMs;
  for (let leftMs = waitMs; leftMs > 0; leftMs = until - performance.now()) {
    const given = await permits.takeMany(workspaceId, wanted, leftMs);
    if (given === 0) return 0;
    let granted = 0;
    let pauseMs: number;
    try {
      ({ granted, waitMs: pauseMs } = await reserveSlots(runtime, numberPk, given, 'mass'));
    } finally {
      permits.giveBack('mass', workspaceId, given - granted);
    }
    if (granted > 0) return granted;
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, Math.min(pauseMs, until - performance.now()))));
  }
  return 0;
}
