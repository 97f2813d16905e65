import { setTimeout as pause } from 'node:timers/promises';
import type { Runtime } from '../api/core/runtime';
import { beginFetches, fetchesEnded } from '../api/services/processes/files/fetch';
import { startLoop, type Loop } from './loop';

/** What has not ended within this time of a stop costs another try, when its lease is over. */
const endWithinMs = 5_000;

/** Fetches customers' files as soon as they are seen, and again while the platform or the store is away. */
export function startFetches(runtime: Runtime): Loop {
  const loop = startLoop({
    name: 'files',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.filesMs,
    step: () => beginFetches(runtime),
  });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await Promise.race([fetchesEnded(runtime), pause(endWithinMs, null, { ref: false })]);
    },
  };
}
