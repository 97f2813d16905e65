import type { Runtime } from '../api/core/runtime';
import { sendPushes } from '../api/services/resources/notices/push';
import { startLoop, type Loop } from './loop';

/** Pushes notices to members' browsers: a slow push service delays this loop only. */
export function startPushes(runtime: Runtime): Loop {
  return startLoop({
    name: 'pushes',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.pushesMs,
    step: () => sendPushes(runtime),
  });
}
