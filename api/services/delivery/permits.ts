import { Permits } from '../../core/platform/permits';
import { kept, type Runtime } from '../../core/runtime';
import { reserveSlots } from './slots';

/** How long a send waits for its permit before it is left to the workers' look. */
const maxWaitMs = 2_000;
/** How long a mass send waits for permits and throughput; a longer wait would occupy a worker for nothing. */
const maxMassWaitMs = 1_000;
/** The shortest pause before slots are asked for again, so that the loop does not spin. */
const minPauseMs = 5;

/** Limits the sending calls that a process makes at the same time. */
export const permitsOf = kept(({ config }) => new Permits(config.platformCalls));

/** Makes a single send under a permit, which stands for a free connection. Returns null when none came free in time. */
export async function underPermit<T>(runtime: Runtime, workspaceId: number, send: () => Promise<T>): Promise<T | null> {
  const permits = permitsOf(runtime);
  if (!(await permits.takeOne(workspaceId, maxWaitMs))) return null;
  try {
    return await send();
  } finally {
    permits.giveBack('people', workspaceId);
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
  waitMs = maxMassWaitMs,
): Promise<number> {
  const permits = permitsOf(runtime);
  const until = Date.now() + waitMs;
  for (let leftMs = waitMs; leftMs > 0; leftMs = until - Date.now()) {
    const given = await permits.takeMany(workspaceId, wanted, leftMs);
    if (given === 0) return 0;
    let granted = 0;
    let pauseMs: number;
    try {
      ({ granted, waitMs: pauseMs } = await reserveSlots(runtime, numberPk, given, 'bulk'));
    } finally {
      permits.giveBack('mass', workspaceId, given - granted);
    }
    if (granted > 0) return granted;
    await new Promise((resolve) => setTimeout(resolve, Math.max(minPauseMs, Math.min(pauseMs, until - Date.now()))));
  }
  return 0;
}
