import type { Runtime } from '../api/core/runtime';
import { wakeWhileBehind } from '../api/services/resources/conversations/snooze';
import { startLoop, type Loop } from './loop';

const idleMs = 250;

/** Wakes overdue conversations while Temporal's timers come late; it asks the database nothing while they do not. */
export function startWakes(runtime: Runtime): Loop {
  return startLoop({
    name: 'overdue snoozes',
    logger: runtime.logger,
    idleMs,
    step: async () => (await wakeWhileBehind(runtime)) > 0,
  });
}
