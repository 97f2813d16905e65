import type { Runtime } from '../api/core/runtime';
import { sequenceEvents } from '../api/services/maintenance/service';
import { startLoop, type Loop } from './loop';

/** Any number; it only has to be the same in every worker. */
const advisoryLockKey = 7_310_002;
const idleMs = 250;

/**
 * Gives committed events their sequence numbers. One worker at a time does it; the lock ends with the transaction,
 * so a worker that dies hands over by dying.
 */
export function startSequencer(runtime: Runtime): Loop {
  return startLoop({
    name: 'event sequencer',
    logger: runtime.logger,
    idleMs,
    step: () =>
      runtime.db.transaction(async () => {
        const lock = await runtime.db.row<{ taken: boolean }>(`SELECT pg_try_advisory_xact_lock(${advisoryLockKey}) AS taken`);
        return lock?.taken === true && (await sequenceEvents(runtime)) > 0;
      }),
  });
}
