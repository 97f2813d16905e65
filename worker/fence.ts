import type { Runtime } from '../api/core/runtime';
import { noteDatabaseWentBack } from '../api/services/resources/accounts/holds';
import { startLoop, type Loop } from './loop';

const idleMs = 15_000;

/**
 * Notices that the database was restored or a standby promoted, and writes it down. Claims are held from the first
 * moment
 * without it; this fixes the time from which what is accepted was certainly not sent before, and tells the operator.
 */
export function startFence(runtime: Runtime): Loop {
  return startLoop({
    name: 'delivery fence',
    logger: runtime.logger,
    idleMs,
    step: async () => {
      await noteDatabaseWentBack(runtime);
      return false;
    },
  });
}
