import type { Runtime } from '../api/core/runtime';
import { signals } from '../workflows/contract';
import { reconcileStart } from '../workflows/starts';

/**
 * Makes sure that the installation's sweeps run: starts `reconcile` unless it does. One that was terminated, or lost
 * with Temporal's state, begins again with the next look.
 */
export async function ensureSweeps(runtime: Runtime): Promise<void> {
  await runtime.temporal.start(reconcileStart, { last: null });
}

/** Asks the installation's sweeps to begin a round now, and starts them where they do not run. */
export async function sweepNow(runtime: Runtime): Promise<void> {
  await runtime.temporal.signalWithStart(reconcileStart, { last: null }, signals.sweep, undefined);
}
