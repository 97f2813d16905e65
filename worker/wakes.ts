import type { Runtime } from '../api/core/runtime';
import { wakeOverdue } from '../api/services/resources/conversations/snooze';
import { startLoop, type Loop } from './loop';

/** Wakes the conversations whose timers did not come in time: one look at a partial index where there are none. */
export function startWakes(runtime: Runtime): Loop {
  return startLoop({
    name: 'overdue snoozes',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.wakesMs,
    step: async () => (await wakeOverdue(runtime)) > 0,
  });
}
