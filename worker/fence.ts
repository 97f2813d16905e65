import type { Runtime } from '../api/core/runtime';
import { fenceState, noteDatabaseWentBack } from '../api/services/resources/accounts/fence';
import { startLoop, type Loop } from './loop';
import { sweepNow } from './sweeps';

/**
 * Notices that the database was restored or a standby promoted, and writes it down. Claims are held from the first
 * moment without it; this fixes the time from which what is accepted was certainly not sent before, and tells the
 * operator. After a new start it asks the sweeps to compare database and witness at once: sending goes on in seconds.
 */
export function startFence(runtime: Runtime): Loop {
  return startLoop({
    name: 'delivery fence',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.fenceMs,
    step: async () => {
      const { wentBack, cameUp } = await fenceState(runtime);
      if (wentBack) await noteDatabaseWentBack(runtime);
      else if (cameUp) await sweepNow(runtime);
      return false;
    },
  });
}
