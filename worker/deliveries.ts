import type { Runtime } from '../api/core/runtime';
import { startWaiting } from '../api/services/delivery/waiting';
import { startLoop, type Loop } from './loop';

/** Has what waits without a sender delivered. Every worker looks; each finds what no other one has taken. */
export function startDeliveries(runtime: Runtime): Loop {
  return startLoop({
    name: 'waiting messages',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.waitingMs,
    step: () => startWaiting(runtime),
  });
}
