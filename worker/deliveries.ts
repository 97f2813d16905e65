import type { Runtime } from '../api/core/runtime';
import { startWaiting } from '../api/services/delivery/waiting';
import { startLoop, type Loop } from './loop';

/**
 * Starts the delivery of waiting messages that nothing is sending. Every worker looks; each takes what no other one has
 * taken.
 */
export function startDeliveries(runtime: Runtime): Loop {
  return startLoop({
    name: 'waiting messages',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.waitingMs,
    step: () => startWaiting(runtime),
  });
}
