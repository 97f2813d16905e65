import type { Runtime } from '../api/core/runtime';
import { wakeOverdue } from '../api/services/resources/conversations/snooze';
import { startLoop, type Loop } from './loop';

/** With the two seconds that a timer has: whatever is overdue wakes within three (contract 16). */
const idleMs = 800;

/** Wakes the conversations whose timers did not come in time: one look at a partial index where there are none. */
export function startWakes(runtime: Runtime): Loop {
  return startLoop({
    name: 'overdue snoozes',
    logger: runtime.logger,
    idleMs,
    step: async () => (await wakeOverdue(runtime)) > 0,
  });
}
