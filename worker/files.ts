import { setTimeout as pause } from 'node:timers/promises';
import type { Runtime } from '../api/core/runtime';
import { beginFetches, fetchesEnded } from '../api/services/processes/files/fetch';
import { startLoop, type Loop } from './loop';

/** How long a stop waits for fetches; one that has not ended by then is tried again after its lease. */
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
