import type { Runtime } from '../api/core/runtime';
import { fenceState, noteDatabaseWentBack } from '../api/services/resources/accounts/fence';
import { startLoop, type Loop } from './loop';
import { sweepNow } from './sweeps';

/**
 * Detects that the database was restored or a standby promoted, and records it. Sending is held from the first moment
 * even without this loop; it records the time after which accepted messages were certainly not sent before, and tells
 * the operator. After a start of the database server it asks the sweeps to compare the database with its witness at
 * once, so that sending resumes within seconds.
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
