import type { Runtime } from '../api/core/runtime';
import { noteDatabaseWentBack } from '../api/services/resources/accounts/holds';
import { awaitsWitness, renewWord } from '../api/services/resources/accounts/witness';
import { startLoop, type Loop } from './loop';
import { sweepNow } from './sweeps';

/**
 * Notices that the database was restored or a standby promoted, and writes it down. Claims are held from the first
 * moment without it; this fixes the time from which what is accepted was certainly not sent before, and tells the
 * operator. After a crash it asks the sweeps to compare database and witness at once: sending goes on in seconds.
 */
export function startFence(runtime: Runtime): Loop {
  return startLoop({
    name: 'delivery fence',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.fenceMs,
    step: async () => {
      await renewWord(runtime);
      if (!(await noteDatabaseWentBack(runtime)) && (await awaitsWitness(runtime))) await sweepNow(runtime);
      return false;
    },
  });
}
